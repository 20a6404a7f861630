/** Rights of a descriptor, as WASI numbers them. */
export const right = Object.freeze({
  sync: (1n << 0n) | (1n << 4n),
  read: 1n << 1n,
  seek: 1n << 2n,
  setFlags: 1n << 3n,
  tell: 1n << 5n,
  write: 1n << 6n,
  advise: 1n << 7n,
  allocate: 1n << 8n,
  setPathSize: 1n << 19n,
  stat: 1n << 21n,
  setSize: 1n << 22n,
  setTimes: 1n << 23n,
  poll: 1n << 27n,
});

/**
 * All rights for paths in a folder: creating files and folders, setting times, linking and
 * removing.
 */
const paths = [9n, 10n, 11n, 12n, 13n, 14n, 15n, 16n, 17n, 18n, 19n, 20n, 24n, 25n, 26n].reduce(
  (all, bit) => all | (1n << bit),
  0n,
);

/** The rights that a folder descriptor can have; never reading, writing or seeking. */
export const folderRights = paths | right.stat | right.setTimes | right.setFlags | right.sync;

/** The rights that a file descriptor can have. */
export const fileRights =
  right.sync |
  right.read |
  right.seek |
  right.setFlags |
  right.tell |
  right.write |
  right.advise |
  right.allocate |
  right.stat |
  right.setSize |
  right.setTimes |
  right.poll;

/** The rights of a stream, by its direction. @param {{ read?: unknown, write?: unknown }} stream */
export function streamRights({ read, write }) {
  return right.stat | right.poll | (read ? right.read : 0n) | (write ? right.write : 0n);
}
