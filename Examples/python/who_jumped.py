"""Who jumped? Python alone: `who_jumped.py LINK`, with the link for games that `roomful host` and `roomful open` print."""
import json, sys, urllib.error, urllib.request

if len(sys.argv) != 2 or not sys.argv[1].startswith("http"):
    sys.exit("Which room? Give the link for games that roomful host prints: python3 who_jumped.py 'http://127.0.0.1:4180/#t=...'")
link, _, token = sys.argv[1].partition("#t=")
room = link.replace("/game/", "/").rstrip("/")  # Where a game is played, the link is that of its page.
headers = {"Content-Type": "application/json"}
if token:  # With --open-loopback there is none.
    headers["Authorization"] = f"Bearer {token}"

def ask(path, body=None):
    return urllib.request.urlopen(urllib.request.Request(room + path, body, headers))

def words(refusal):
    return json.load(refusal)["error"]["message"]

def command(**task):
    try:
        ask("/api/commands", json.dumps(task).encode()).close()
    except urllib.error.HTTPError as refusal:
        print("refused:", words(refusal), flush=True)

try:
    events = ask("/api/events")
except urllib.error.HTTPError as refusal:
    sys.exit(words(refusal))
for line in events:  # Server-sent events: what matters are the data lines.
    event = json.loads(line[5:]) if line.startswith(b"data:") else {}
    if event.get("type") == "hello":
        print(f"{event['room']}: {len(event['players'])} players", flush=True)
    if event.get("type") == "player":
        print(f"P{event['player']} {event['name']} {event['state']}", flush=True)
    if event.get("type") == "gesture" and event["gesture"] == "jump" and event["phase"] == "began":
        print(f"P{event['player']} jumped", flush=True)
        command(task="play", who=f"P{event['player']}", intensity=1, sharpness=0.5, duration=80)
