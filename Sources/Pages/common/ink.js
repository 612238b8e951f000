// What is written on a player's colour.

/** Black or white, whichever stands out more from this colour, "#rrggbb" (WCAG 2.2, relative luminance). */
export function inkOn(color) {
    const [red, green, blue] = [1, 3, 5].map((place) => {
        const part = parseInt(color.slice(place, place + 2), 16) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}
