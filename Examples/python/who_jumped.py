"""Who jumped? Python alone: `who_jumped.py LINK`, with the link for games that `roomful host` and `roomful open` print."""
import json, sys, urllib.error, urllib.request

if len(sys.argv) != 2 or "/#t=" not in sys.argv[1]:
    sys.exit("Which room? Give the link for games that roomful host prints: python3 who_jumped.py 'http://127.0.0.1:4180/#t=...'")
room, token = sys.argv[1].replace("/game/", "/").split("/#t=")  # Where a game is played, the link is that of its page.
headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
def command(**task):
    try:
        urllib.request.urlopen(urllib.request.Request(f"{room}/api/commands", json.dumps(task).encode(), headers)).close()
    except urllib.error.HTTPError as refusal:
        print("refused:", json.load(refusal)["error"]["message"], flush=True)

events = urllib.request.urlopen(urllib.request.Request(f"{room}/api/events", headers=headers))
for line in events:  # Server-sent events: what matters are the data lines.
    event = json.loads(line[5:]) if line.startswith(b"data:") else {}
    if event.get("type") == "hello":
        print(f"{event['room']}: {len(event['players'])} players", flush=True)
    if event.get("type") == "player":
        print(f"P{event['player']} {event['name']} {event['state']}", flush=True)
    if event.get("type") == "gesture" and event["gesture"] == "jump" and event["phase"] == "began":
        print(f"P{event['player']} jumped", flush=True)
        command(task="play", who=f"P{event['player']}", intensity=1, sharpness=0.5, duration=80)
