"""Who jumped? Python alone: `who_jumped.py LINK`, with the link for games that `roomful host` and `roomful open` print."""
import http.client, json, sys, time, urllib.error, urllib.request

if len(sys.argv) != 2 or not sys.argv[1].startswith("http"):
    sys.exit("Which room? Give the link for games that roomful host prints: python3 who_jumped.py 'http://127.0.0.1:4180/#t=...'")
link, _, token = sys.argv[1].partition("#t=")
room = link.replace("/game/", "/").rstrip("/")  # Where a game is played, the link is that of its page.
headers = {"Content-Type": "application/json"}
if token:  # With --open-loopback there is none.
    headers["Authorization"] = f"Bearer {token}"

def ask(path, body=None, **more):
    return urllib.request.urlopen(urllib.request.Request(room + path, body, headers | more), timeout=15)

def words(problem):
    return json.load(problem)["error"]["message"] if isinstance(problem, urllib.error.HTTPError) else problem

def command(**task):
    try:
        ask("/api/commands", json.dumps(task).encode()).close()
    except OSError as problem:
        print("refused:", words(problem), flush=True)

def events():
    """What happens in the room. It is waited for; where it goes away and comes back, this goes on after the last event."""
    last, is_away = {}, False
    while True:
        try:
            with ask("/api/events", **last) as stream:
                is_away = False
                for line in stream:  # Server-sent events: what matters are the lines that say where one stands, and what it is.
                    if line.startswith(b"id:"):
                        last = {"Last-Event-ID": line[3:].decode().strip()}
                    elif line.startswith(b"data:"):
                        yield json.loads(line[5:])
            raise OSError("it has gone")
        except urllib.error.HTTPError as refusal:
            sys.exit(words(refusal))
        except (OSError, http.client.HTTPException) as problem:
            if not is_away:
                print("waiting for the room:", problem, flush=True)
            is_away = True
            time.sleep(1)

for event in events():
    if event["type"] == "hello":
        print(f"{event['room']}: {len(event['players'])} players", flush=True)
    if event["type"] == "player":
        print(f"P{event['player']} {event['name']} {event['state']}", flush=True)
    if event["type"] == "gesture" and event["gesture"] == "jump" and event["phase"] == "began":
        print(f"P{event['player']} jumped", flush=True)
        command(task="play", who=f"P{event['player']}", intensity=1, sharpness=0.5, duration=80)
