// Unity, on any object: player 1's phone turns it, and every jump is logged. Link is what `roomful host` and `roomful open` print for games.
using System; using System.Net.WebSockets; using System.Text; using UnityEngine;
public class Roomful : MonoBehaviour {
    [Serializable] class Failure { public string message; }
    [Serializable] class Event { public string type, gesture, phase; public int player; public float[] attitude; public Failure error; }
    public string Link = "http://127.0.0.1:8720/#t=…";
    async void Start() { var parts = Link.Split("#t=");
        using var socket = new ClientWebSocket();
        await socket.ConnectAsync(new Uri(parts[0].Replace("/game/", "/").Replace("http", "ws") + "api/events"), destroyCancellationToken);
        var token = parts.Length > 1 ? "\"token\":\"" + parts[1] + "\"," : "";  // With --open-loopback there is none.
        await socket.SendAsync(Encoding.UTF8.GetBytes("{" + token + "\"motion\":true}"), WebSocketMessageType.Text, true, destroyCancellationToken);
        var buffer = new byte[65536]; while (socket.State == WebSocketState.Open) {
            var length = 0; WebSocketReceiveResult part;
            do { part = await socket.ReceiveAsync(new ArraySegment<byte>(buffer, length, buffer.Length - length), destroyCancellationToken);
                length += part.Count; } while (!part.EndOfMessage);
            var e = JsonUtility.FromJson<Event>(Encoding.UTF8.GetString(buffer, 0, length));
            if (e?.type == "reply") Debug.LogError(e.error?.message);  // It asks nothing but its first message: that is refused.
            if (e?.type == "gesture" && e.gesture == "jump" && e.phase == "began") Debug.Log($"P{e.player} jumped");
            if (e?.type == "motion" && e.player == 1)  // From z up, right-handed, to Unity's y up, left-handed.
                transform.rotation = new Quaternion(-e.attitude[1], -e.attitude[3], -e.attitude[2], e.attitude[0]);
        }
    }
}
