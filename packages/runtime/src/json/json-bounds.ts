/** Up to so many bytes JSON is read and written in the thread that serves requests: some 3 ms at worst. */
export const inlineBytesMax = 32 * 1024;

/**
 * How many objects, arrays, strings, numbers and the like one JSON text may have in all, in requests and in outputs alike.
 * Each takes up to 200 bytes of memory, far more than in the text.
 */
export const valuesMax = 250_000;
