# Godot 4, on a Node3D: P1's phone turns it, and every jump is told. The link is what `roomful host` and `roomful open` print for games.
extends Node3D
@export var link := "http://127.0.0.1:8720/#t=…"
var socket := WebSocketPeer.new()
var wish := {"motion": true}  # With what was heard last: so what happens while the room is away is told when it is back.
var has_asked := false
var pause := 0.0  # For so many seconds the room is not asked for again.

func _process(delta: float) -> void:
	socket.poll()
	pause -= delta
	if socket.get_ready_state() == WebSocketPeer.STATE_CLOSED and pause < 0:
		connect_to_room()
	if socket.get_ready_state() == WebSocketPeer.STATE_OPEN and not has_asked:
		has_asked = socket.send_text(JSON.stringify(wish)) == OK
	while socket.get_available_packet_count() > 0:  # All that is there, each frame: else motion comes later and later.
		hear(JSON.parse_string(socket.get_packet().get_string_from_utf8()))

## Waits for the room, and comes back to it.
func connect_to_room() -> void:
	if socket.get_close_code() in [1003, 1008]:
		push_error("The room refuses this: is it the whole link that the host prints now?")
		set_process(false)
		return
	if link.contains("#t="):  # With --open-loopback there is no token.
		wish.token = link.get_slice("#t=", 1)
	print("Looking for the room")
	socket = WebSocketPeer.new()
	socket.connect_to_url(link.get_slice("#", 0).replace("/game/", "/").replace("http", "ws") + "api/events")
	has_asked = false
	pause = 1.0

func hear(event: Dictionary) -> void:
	if event.type == "hello":
		wish.openedAt = event.openedAt
		wish.after = int(event.after)
	elif event.has("n"):
		wish.after = int(event.n)
	if event.type == "gesture" and event.gesture == "jump" and event.phase == "began":
		print("P%d jumped" % event.player)
	elif event.type == "motion" and event.player == 1:
		var q: Array = event.attitude  # w, x, y, z, with z up; Godot has y up.
		quaternion = Quaternion(q[1], q[3], -q[2], q[0])
