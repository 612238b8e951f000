"""Who jumped? Python alone, against a room on this machine: `roomful host --http 4180`, then `who_jumped.py 4180`."""
import json, sys, urllib.request

room = f"http://127.0.0.1:{sys.argv[1]}"


def command(**task):
    headers = {"Content-Type": "application/json"}
    return urllib.request.urlopen(urllib.request.Request(f"{room}/api/commands", json.dumps(task).encode(), headers))


for line in urllib.request.urlopen(f"{room}/api/events"):  # Server-sent events: what matters are the data lines.
    event = json.loads(line[5:]) if line.startswith(b"data:") else {}
    if event.get("type") == "hello":
        print(f"{event['room']}: {len(event['players'])} players", flush=True)
    if event.get("type") == "player":
        print(f"P{event['player']} {event['name']} {event['state']}", flush=True)
    if event.get("gesture") == "keepcalm-jump" and event["phase"] == "began":
        print(f"P{event['player']} jumped", flush=True)
        command(task="play", who=f"P{event['player']}", intensity=1, sharpness=0.5, duration=80)
