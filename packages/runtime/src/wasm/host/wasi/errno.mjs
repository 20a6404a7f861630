/** Those error numbers of WASI preview 1 that are answered here (its `errno`). */
export const errno = Object.freeze({
  success: 0,
  badf: 8,
  fault: 21,
  inval: 28,
  nosys: 52,
  notdir: 54,
  notsock: 57,
  notsup: 58,
  spipe: 70,
});
