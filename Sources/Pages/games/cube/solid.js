// The cube as numbers: how an attitude turns it, and where its corners come to lie on the screen.
//
// An attitude leads from the device's axes (x right, y to its top edge, z out of its screen) to those of the last
// re-zero or, before any, to the earth's. Here they are a table before the viewer: x right, y away, z up.

import { turn } from "/common/turn.js";

export { turn };

const height = 0.46;  // How far the viewer looks down on the table, in rad.

/** Where a point of the table is seen: right, down, and how much nearer to the viewer than the middle. */
export function see([x, y, z]) {
    return [x, -z * Math.cos(height) - y * Math.sin(height), z * Math.sin(height) - y * Math.cos(height)];
}

/** Roll, pitch and yaw in degrees: first turned by yaw about z, then by pitch about x, then by roll about y. */
export function angles({ attitude: [w, x, y, z], tilt: [roll, pitch] }) {
    const yaw = Math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z));
    return [roll, pitch, yaw].map((angle) => (angle * 180) / Math.PI);
}

/** The faces by the device's axes: normal, and two edges so that right × up is the normal. */
const faces = [
    { name: "top", normal: [0, 0, 1], right: [1, 0, 0], up: [0, 1, 0] },
    { name: "bottom", normal: [0, 0, -1], right: [1, 0, 0], up: [0, -1, 0] },
    { name: "front", normal: [0, -1, 0], right: [1, 0, 0], up: [0, 0, 1] },
    { name: "back", normal: [0, 1, 0], right: [-1, 0, 0], up: [0, 0, 1] },
    { name: "right", normal: [1, 0, 0], right: [0, 1, 0], up: [0, 0, 1] },
    { name: "left", normal: [-1, 0, 0], right: [0, -1, 0], up: [0, 0, 1] },
];

const light = [-0.42, -0.5, 0.76];

/** The faces that the viewer sees: {name, shade 0…1, middle, right, up}, the last three on the screen. */
export function visibleFaces(attitude) {
    return faces.map((face) => {
        const normal = turn(attitude, face.normal);
        const shade = 0.5 + 0.5 * normal.reduce((sum, value, axis) => sum + value * light[axis], 0);
        const [middle, right, up] = [face.normal, face.right, face.up].map((vector) => see(turn(attitude, vector)));
        return { name: face.name, shade, middle, right, up };
    }).filter((face) => face.middle[2] > 0.001);
}

/** The cube's shadow on the table, straight below: corners on the screen, around it. */
export function shadow(attitude, depth) {
    const corners = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => turn(attitude, [x, y, z]))));
    return hull(corners.map(([x, y]) => see([x, y, -depth])));
}

/** The convex hull (Andrew's monotone chain). */
function hull(points) {
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const side = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    const half = (list) => {
        const chain = [];
        for (const point of list) {
            while (chain.length > 1 && side(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
            chain.push(point);
        }
        return chain.slice(0, -1);
    };
    return [...half(sorted), ...half(sorted.reverse())];
}
