// How long a request may take.

/** A signal that ends it after so many ms: as AbortSignal.timeout, which older iPhones do not have. */
export function timeout(time) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), time);
    return controller.signal;
}
