// Unity, on any object: player 1's phone turns it, and every jump is logged. Link is what `roomful host` and `roomful open` print for games.
using System; using System.Net.WebSockets; using System.Text; using System.Threading.Tasks; using UnityEngine;
public class Roomful : MonoBehaviour {
    [Serializable] class Event { public string type, gesture, phase, openedAt; public int player, n, after; public float[] attitude; }
    public string Link = "http://127.0.0.1:8720/#t=…";
    string openedAt; int last;  // What was heard last: so what happens while the room is away is told when it is back.

    async void Start() {  // Waits for the room, and comes back to it.
        while (!destroyCancellationToken.IsCancellationRequested) {
            try {
                if (await Follow() is WebSocketCloseStatus.PolicyViolation or WebSocketCloseStatus.InvalidMessageType) {
                    Debug.LogError("The room refuses this: is it the whole link that the host prints now?"); return; }
            } catch (WebSocketException problem) { Debug.Log($"Waiting for the room: {problem.Message}");
            } catch (OperationCanceledException) { return; }
            await Task.Delay(1000);
        }
    }

    async Task<WebSocketCloseStatus?> Follow() { var parts = Link.Split("#t=");
        using var socket = new ClientWebSocket();
        await socket.ConnectAsync(new Uri(parts[0].Replace("/game/", "/").Replace("http", "ws") + "api/events"), destroyCancellationToken);
        var token = parts.Length > 1 ? $"\"token\":\"{parts[1]}\"," : "";  // With --open-loopback there is none.
        var place = openedAt != null ? $"\"after\":{last},\"openedAt\":\"{openedAt}\"," : "";
        await socket.SendAsync(Encoding.UTF8.GetBytes("{" + token + place + "\"motion\":true}"), WebSocketMessageType.Text, true, destroyCancellationToken);
        var buffer = new byte[65536]; while (socket.State == WebSocketState.Open) {
            var length = 0; WebSocketReceiveResult part;
            do { part = await socket.ReceiveAsync(new ArraySegment<byte>(buffer, length, buffer.Length - length), destroyCancellationToken);
                length += part.Count; } while (!part.EndOfMessage);
            var e = JsonUtility.FromJson<Event>(Encoding.UTF8.GetString(buffer, 0, length));
            if (e?.type == "hello") (openedAt, last) = (e.openedAt, e.after);
            if (e?.n > 0) last = e.n;
            if (e?.type == "gesture" && e.gesture == "jump" && e.phase == "began") Debug.Log($"P{e.player} jumped");
            if (e?.type == "motion" && e.player == 1)  // From z up, right-handed, to Unity's y up, left-handed.
                transform.rotation = new Quaternion(-e.attitude[1], -e.attitude[3], -e.attitude[2], e.attitude[0]);
        }
        return socket.CloseStatus;
    }
}
