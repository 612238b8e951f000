"""What a page lets be heard: what it sends to the loudspeakers."""

from hosted_room import wait_until

# Pitch in Hz by the crossings of zero, and loudness from 0 to 1, of each 46 ms that were not silent. The last 0.7 s are
# looked through at a time, so that a machine that stands still keeps nothing from being heard.
EARS = """(() => {
    window.heard = [];
    const [PIECE, connect] = [2048, AudioNode.prototype.connect];
    const listen = (ear) => {
        const wave = new Float32Array(ear.fftSize);
        ear.getFloatTimeDomainData(wave);
        for (let from = 0; from < wave.length; from += PIECE) {
            const piece = wave.subarray(from, from + PIECE);
            const loudness = piece.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
            if (loudness < 0.01) continue;
            const crossings = piece.reduce((sum, value, at) => sum + (at > 0 && value < 0 !== piece[at - 1] < 0), 0);
            heard.push({ pitch: crossings / 2 / PIECE * ear.context.sampleRate, loudness });
        }
    };
    AudioNode.prototype.connect = function (to, ...more) {
        if (to instanceof AudioDestinationNode) {
            if (!to.ear) {
                to.ear = new AnalyserNode(to.context, { fftSize: 32768 });
                setInterval(() => listen(to.ear), 100);
            }
            connect.call(this, to.ear);
        }
        return connect.call(this, to, ...more);
    };
})()"""


def heard(page, pitch):
    """What was heard of about this pitch, in Hz."""
    return [tone for tone in page.evaluate("heard") if abs(tone["pitch"] / pitch - 1) < 0.07]


def hush(page):
    """Waits until nothing is heard any more. What was heard until then does not count."""
    wait_until(lambda: page.evaluate("heard.length = 0") or page.wait_for_timeout(300) or page.evaluate("heard.length") == 0)
