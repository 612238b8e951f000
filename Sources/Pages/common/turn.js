// Attitudes, as the room tells them.

/** A vector, turned by a unit quaternion (w, x, y, z). */
export function turn([w, x, y, z], [a, b, c]) {
    const [p, q, r] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
    return [a + w * p + y * r - z * q, b + w * q + z * p - x * r, c + w * r + x * q - y * p];
}
