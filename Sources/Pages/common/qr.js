// A QR code, as the room draws it.

/** The address of the picture, for `src`. @param {string} svg */
export const qrSource = (svg) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
