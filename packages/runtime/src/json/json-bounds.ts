/** JSON up to this size is read and written in the main thread, which takes 3 ms at worst. */
export const inlineBytesMax = 32 * 1024;

/**
 * The most values (objects, arrays, strings, numbers, literals) in a JSON text, request or output.
 * Each takes up to 200 bytes of memory, far more than in the text.
 */
export const valuesMax = 250_000;
