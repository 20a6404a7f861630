import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { posix } from 'node:path';

const fileBytesMax = 16 * 1024 * 1024;
const { O_RDONLY, O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Whether a path is granted or below a granted path, judging only by its name.
 *
 * @param {string} path absolute
 * @param {readonly string[]} granted
 */
export function isGranted(path, granted) {
  const plain = posix.normalize(path);
  return granted.some((place) => plain === place || plain.startsWith(place === '/' ? '/' : `${place}/`));
}

/**
 * Reads a regular file whose real path is granted. Throws an error with a message for the skill,
 * which contains nothing about the machine that the skill did not name itself.
 *
 * @param {string} path absolute
 * @param {readonly string[]} granted
 */
export function readText(path, granted) {
  return inFile(path, granted, O_RDONLY, (file, size) => {
    if (size > fileBytesMax) throw new Error(`${path} is longer than ${fileBytesMax} bytes`);
    return utf8(path, readFileSync(file));
  });
}

/**
 * Replaces the content of a regular file, or creates it in a folder whose real path is granted.
 * Throws as `readText` does.
 *
 * @param {string} path absolute
 * @param {Uint8Array} bytes
 * @param {readonly string[]} granted
 */
export function replaceFile(path, bytes, granted) {
  inFile(path, granted, O_WRONLY | O_CREAT, (file) => {
    ftruncateSync(file);
    writeFileSync(file, bytes);
  });
}

/**
 * @template T
 * @param {string} path
 * @param {readonly string[]} granted
 * @param {number} mode
 * @param {(file: number, size: number) => T} use
 * @returns {T}
 */
function inFile(path, granted, mode, use) {
  return withMessages(path, () => {
    const place = realPathOf(path);
    // A symlink in a granted folder could have been created by anyone, and lead to files of this
    // process.
    if (!isGranted(place, granted.map(realPathOf)))
      throw new Error(`${path} leads to a path that is not granted`);
    // Does not block if the file is a FIFO.
    const file = openSync(place, mode | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
      return use(file, stats.size);
    } finally {
      closeSync(file);
    }
  });
}

/**
 * The real path; for a missing file, based on its folder's real path.
 *
 * @param {string} path
 */
function realPathOf(path) {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
    return posix.join(realpathSync.native(posix.dirname(path)), posix.basename(path));
  }
}

/**
 * @param {string} path
 * @param {Uint8Array} bytes
 */
function utf8(path, bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${path} is not UTF-8`);
  }
}

/**
 * Turns kernel errors into messages.
 *
 * @template T
 * @param {string} path
 * @param {() => T} run
 * @returns {T}
 */
function withMessages(path, run) {
  try {
    return run();
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Error(code === undefined ? message : `${path}: ${code}`);
  }
}
