// A small device in space, as its attitude says: seen from behind and above, straight ahead is into the screen.

import { turn } from "/common/turn.js";

const SIZE = { x: 0.5, y: 1, z: 0.09 };
const ELEVATION = (38 * Math.PI) / 180;
const FACES = [
    { corners: [4, 5, 7, 6], kind: "screen" }, { corners: [0, 2, 3, 1], kind: "back" },
    { corners: [0, 1, 5, 4], kind: "side" }, { corners: [2, 6, 7, 3], kind: "top" },
    { corners: [0, 4, 6, 2], kind: "side" }, { corners: [1, 3, 7, 5], kind: "side" },
];

/** Where a point of the earth's axes (x right, y ahead, z up) lies on the screen, and how far away. */
export function project([x, y, z]) {
    const [cos, sin] = [Math.cos(ELEVATION), Math.sin(ELEVATION)];
    const [up, depth] = [z * cos + y * sin, y * cos - z * sin];
    const scale = 3.6 / (3.6 + depth);
    return [x * scale, -up * scale, depth];
}

/** The faces to draw, farthest first: corners on the screen within ±1.2, and which face it is. */
export function facesOf(attitude) {
    const corners = [];
    for (const z of [-SIZE.z, SIZE.z]) for (const y of [-SIZE.y, SIZE.y]) for (const x of [-SIZE.x, SIZE.x]) {
        corners.push(project(turn(attitude, [x, y, z])));
    }
    const far = (face) => face.corners.reduce((sum, corner) => sum + corners[corner][2], 0);
    const placed = (face) => face.corners.map((corner) => corners[corner]);
    return FACES.map((face) => ({ kind: face.kind, far: far(face), points: placed(face) }))
        .filter((face) => facesViewer(face.points)).sort((a, b) => b.far - a.far);
}

/** Corners go counterclockwise as seen from outside; on a screen, y is down. */
function facesViewer([a, b, c]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0;
}

/** Draws it around (x, y), `radius` pixels for its half length. `colors`: for each kind of face, and `edge`. */
export function drawDevice(context, x, y, radius, attitude, colors) {
    context.lineJoin = "round";
    for (const { kind, points } of facesOf(attitude)) {
        context.beginPath();
        for (const [px, py] of points) context.lineTo(x + px * radius, y + py * radius);
        context.closePath();
        context.fillStyle = colors[kind];
        context.fill();
        context.strokeStyle = colors.edge;
        context.lineWidth = Math.max(1, radius / 28);
        context.stroke();
    }
}
