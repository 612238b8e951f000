# Godot 4, on a Node3D: P1's phone turns it, and every jump is told. The link is what `roomful host` and `roomful open` print for games.
extends Node3D
@export var link := "http://127.0.0.1:8720/#t=…"
var socket := WebSocketPeer.new()
var has_asked := false

func _ready() -> void:
	socket.connect_to_url(link.get_slice("#", 0).replace("/game/", "/").replace("http", "ws") + "api/events")

func _process(_delta: float) -> void:
	socket.poll()
	if socket.get_ready_state() == WebSocketPeer.STATE_OPEN and not has_asked:
		var wish := {"motion": true}
		if link.contains("#t="):  # With --open-loopback there is no token.
			wish.token = link.get_slice("#t=", 1)
		has_asked = socket.send_text(JSON.stringify(wish)) == OK
	while socket.get_available_packet_count() > 0:
		var event: Dictionary = JSON.parse_string(socket.get_packet().get_string_from_utf8())
		if event.type == "reply" and event.has("error"):
			push_error(event.error.message)
		elif event.type == "gesture" and event.gesture == "jump" and event.phase == "began":
			print("P%d jumped" % event.player)
		elif event.type == "motion" and event.player == 1:
			var q: Array = event.attitude  # w, x, y, z, with z up; Godot has y up.
			quaternion = Quaternion(q[1], q[3], -q[2], q[0])
