// Draws what moves: at most 20 times a second, half as often where many play, only what is on the screen, and calmly
// for who asked for less motion.

const MANY = 14;

export class Animation {
    #drawings = new Map();
    #last = 0;

    constructor() {
        this.seen = new IntersectionObserver((entries) => {
            for (const { target, isIntersecting } of entries) {
                const drawing = this.#drawings.get(target);
                if (drawing) drawing.isSeen = isIntersecting;
            }
        });
        this.calm = matchMedia("(prefers-reduced-motion: reduce)");
        requestAnimationFrame((now) => this.#frame(now));
    }

    add(canvas, draw) {
        this.#drawings.set(canvas, { draw, isSeen: false });
        this.seen.observe(canvas);
    }

    remove(canvas) {
        this.seen.unobserve(canvas);
        this.#drawings.delete(canvas);
    }

    #frame(now) {
        requestAnimationFrame((later) => this.#frame(later));
        if (now - this.#last < (this.calm.matches ? 1000 : this.#drawings.size > MANY ? 96 : 48)) return;
        this.#last = now;
        for (const { draw, isSeen } of this.#drawings.values()) if (isSeen) draw();
    }
}
