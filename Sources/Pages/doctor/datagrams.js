// Makes the browser send datagrams to a port of our choice: the one way that a page has is WebRTC, whose search for ways
// (ICE, RFC 8445) begins by asking a STUN server (RFC 8489) how it sees us. The machine that we name as one only notes
// that something came; it does not answer.

const HOW_OFTEN = 3000;

/** Begins at once and goes on until the page is closed. False where the browser has no WebRTC. */
export function sendDatagrams(host, port) {
    if (typeof RTCPeerConnection !== "function") return false;
    let connection = null;
    const ask = async () => {
        connection?.close();
        try {
            connection = new RTCPeerConnection({ iceServers: [{ urls: `stun:${host}:${port}` }] });
            connection.createDataChannel("doctor");
            await connection.setLocalDescription(await connection.createOffer());
        } catch (error) {
            console.warn("no datagrams:", error);
        }
    };
    ask();
    setInterval(ask, HOW_OFTEN);
    return true;
}
