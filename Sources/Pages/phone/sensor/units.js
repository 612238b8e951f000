// What readings are reckoned in.

/** m/s². */
export const GRAVITY = 9.80665;
/** Of a degree. */
export const RADIANS = Math.PI / 180;
