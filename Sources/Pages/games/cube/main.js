// Cube: each player's phone turns a cube of its own. The 3D mouse of the seeds, framed and to be re-zeroed.
import { join, joinCode } from "/roomful.js";
import { inkOn } from "/common/ink.js";
import { readPage, refusalWords, sentence } from "/common/language.js";
import { dress } from "/games/colors.js";
import { element, onKeys, tellTroubles, trouble } from "/games/game.js";
import { angles, see, shadow, visibleFaces } from "./solid.js";

readPage();
const room = join({ motion: true });
const cubes = element("cubes");
const nobody = element("nobody");
/** Who comes late joins by it: the last tile, while a seat is free. */
const nook = document.createElement("section");
nook.className = "nook panel";
const lateCode = joinCode(room, { small: true });
nook.append(lateCode);
lateCode.addEventListener("change", () => arrange());
/** Number -> the elements of its card. */
const cards = new Map();

room.on("hello", arrange);
room.on("player", arrange);
tellTroubles(room);

/** One card for each player, as large as the screen allows. */
function arrange() {
    for (const [number, { card }] of cards) {
        if (!room.players.has(number)) { card.remove(); cards.delete(number); }
    }
    for (const number of [...room.players.keys()].sort((a, b) => a - b)) {
        const { name, color } = room.players.get(number);
        const parts = cards.get(number) ?? makeCard(number);
        parts.color = color;
        dress(parts.card, color, number);
        parts.card.querySelector(".name").textContent = name;
        cubes.append(parts.card);
    }
    const isOpen = !lateCode.hidden && cards.size > 0 && cards.size < 9;
    if (isOpen) cubes.append(nook); else nook.remove();
    const count = cards.size + (isOpen ? 1 : 0);
    const columns = count < 4 ? count : count === 4 ? 2 : Math.ceil(Math.sqrt(count * 1.6));
    cubes.style.setProperty("--columns", columns);
    cubes.style.setProperty("--rows", Math.ceil(count / columns));
    cubes.classList.toggle("small", count > 9);
    cubes.hidden = count === 0;
    nobody.hidden = count > 0;
    element("rezero").disabled = count === 0;
}

function makeCard(number) {
    const card = element("card").content.cloneNode(true).querySelector("section");
    card.dataset.player = number;
    card.querySelector(".badge").textContent = `P${number}`;
    const button = card.querySelector("button");
    button.setAttribute("aria-label", sentence("cube.rezeroOf", { number }));
    button.addEventListener("click", () => rezero(number));
    const parts = { card, canvas: card.querySelector("canvas"), readings: [...card.querySelectorAll("dd")] };
    cards.set(number, parts);
    return parts;
}

/** As it is held now is straight ahead. */
function rezero(number) {
    room.send({ task: "rezero", who: `P${number}` }).then(() => trouble(""), (error) => trouble(refusalWords(error)));
}

function paint() {
    for (const [number, parts] of cards) show(parts, room.players.get(number));
    if (!nobody.hidden) {
        const angle = performance.now() / 2400;
        const attitude = [Math.cos(angle / 2), 0.12, 0, Math.sin(angle / 2)];
        drawCube(element("waiting"), attitude, "#8794a1", "?");
    }
    requestAnimationFrame(paint);
}

function show({ card, canvas, readings, color }, player) {
    const why = player.state === "lost" ? sentence("game.lost")
        : !player.attitude ? sentence("cube.noMotionYet") : player.stale ? sentence("cube.noMotionNow") : "";
    card.dataset.fresh = why === "";
    card.dataset.why = why;
    if (!player.attitude) return;
    const texts = angles(player).map((angle) => `${Math.round(angle) + 0}°`.replace("-", "−"));
    texts.forEach((text, place) => { readings[place].textContent = text; });
    drawCube(canvas, player.attitude, color, String(player.player));
}

function drawCube(canvas, attitude, color, label) {
    const sharpness = Math.min(devicePixelRatio, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * sharpness) || canvas.height !== Math.round(height * sharpness)) {
        canvas.width = Math.round(width * sharpness);
        canvas.height = Math.round(height * sharpness);
    }
    const pen = canvas.getContext("2d");
    const size = Math.min(width * 0.24, height * 0.225);
    pen.setTransform(sharpness, 0, 0, sharpness, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.translate(width / 2, height * 0.42);
    drawTable(pen, size, attitude);
    for (const face of visibleFaces(attitude)) drawFace(pen, face, size, color, label);
}

/** A ring with a mark straight ahead, so that turning is seen against something. */
function drawTable(pen, size, attitude) {
    const [, down] = see([0, 0, -1.75]);
    const [, depth] = see([0, -2, 0]);
    pen.strokeStyle = "rgb(128 140 152 / 45%)";
    pen.lineWidth = Math.max(1, size * 0.015);
    pen.beginPath();
    pen.ellipse(0, down * size, size * 2, Math.abs(depth) * size, 0, 0, 2 * Math.PI);
    pen.stroke();
    pen.beginPath();
    for (const [x, y] of [[0, 2.25], [-0.13, 1.95], [0.13, 1.95]]) {
        const [right, below] = see([x, y, -1.75]);
        pen.lineTo(right * size, below * size);
    }
    pen.closePath();
    pen.fillStyle = "rgb(128 140 152 / 80%)";
    pen.fill();
    pen.beginPath();
    for (const [right, below] of shadow(attitude, 1.75)) pen.lineTo(right * size, below * size);
    pen.closePath();
    pen.fillStyle = "rgb(0 0 0 / 16%)";
    pen.fill();
}

function drawFace(pen, { name, shade, middle, right, up }, size, color, label) {
    pen.save();
    // The face's own axes, from -1 to 1, as the pen's.
    pen.transform(right[0] * size, right[1] * size, -up[0] * size, -up[1] * size, middle[0] * size, middle[1] * size);
    pen.beginPath();
    pen.roundRect(-1, -1, 2, 2, 0.12);
    pen.fillStyle = color;
    pen.fill();
    pen.fillStyle = shade > 0.6 ? `rgb(255 255 255 / ${(shade - 0.6) * 90}%)` : `rgb(0 0 0 / ${(0.6 - shade) * 110}%)`;
    pen.fill();
    pen.lineWidth = 0.035;
    pen.strokeStyle = "rgb(255 255 255 / 70%)";
    pen.stroke();
    pen.fillStyle = inkOn(color);
    pen.globalAlpha = 0.94;
    if (name === "top") drawScreen(pen);
    else if (name === "front" || name === "back") {
        pen.font = '800 1.1px system-ui, "DejaVu Sans", sans-serif';
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillText(label, 0, 0.06);
    } else if (name !== "bottom") {
        for (const y of [-0.3, 0, 0.3]) pen.fillRect(-0.3, y - 0.05, 0.6, 0.1);
    }
    pen.restore();
}

/** The top is the phone's screen: an arrow points to its top edge. */
function drawScreen(pen) {
    pen.beginPath();
    const half = [[0, -0.68], [0.46, -0.12], [0.17, -0.12], [0.17, 0.62]];
    for (const [x, y] of [...half, ...[...half].reverse().map(([x, y]) => [-x, y])]) pen.lineTo(x, y);
    pen.closePath();
    pen.fill();
}

/** Of all who are here: who is lost holds nothing. */
function rezeroAll() {
    [...cards.keys()].filter((number) => room.players.get(number)?.state !== "lost").forEach(rezero);
}

element("rezero").addEventListener("click", rezeroAll);
onKeys({ r: rezeroAll });
element("door").append(joinCode(room, { side: true }));
arrange();
requestAnimationFrame(paint);
