/** The WASI preview 1 error numbers used here (its `errno`). */
export const errno = Object.freeze({
  success: 0,
  badf: 8,
  exist: 20,
  fault: 21,
  fbig: 22,
  ilseq: 25,
  inval: 28,
  io: 29,
  isdir: 31,
  loop: 32,
  mfile: 33,
  nametoolong: 37,
  noent: 44,
  nomem: 48,
  nospc: 51,
  nosys: 52,
  notdir: 54,
  notempty: 55,
  notsock: 57,
  notsup: 58,
  perm: 63,
  rofs: 69,
  spipe: 70,
  xdev: 75,
  notcapable: 76,
});

/** A WASI function's error result. */
export class WasiError extends Error {
  /** @param {number} number one of `errno` */
  constructor(number) {
    super(`WASI error ${number}`);
    this.number = number;
  }
}
