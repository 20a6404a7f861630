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
 * Whether a path is one of those that were granted, or lies beneath one, by its name alone.
 *
 * @param {string} path absolute
 * @param {readonly string[]} granted
 */
export function isGranted(path, granted) {
  const plain = posix.normalize(path);
  return granted.some((place) => plain === place || plain.startsWith(place === '/' ? '/' : `${place}/`));
}

/**
 * The text of an ordinary file whose real place is granted. Throws an error whose message is for the skill, and says no
 * more of the machine than the skill named itself.
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
 * Replaces the contents of an ordinary file, or creates it in a folder whose real place is granted. Throws as `readText`
 * does.
 *
 * @param {string} path absolute
 * @param {Uint8Array} bytes
 * @param {readonly string[]} granted
 */
export function writeFileAnew(path, bytes, granted) {
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
  return failing(path, () => {
    const place = realPlace(path);
    // A link in a granted folder may have been left there by anybody, and lead to what belongs to this process itself.
    if (!isGranted(place, granted.map(realPlace))) throw new Error(`${path} leads out of what was granted`);
    // A pipe in a file's place is looked at and not waited for.
    const file = openSync(place, mode | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw new Error(`${path} is no ordinary file`);
      return use(file, stats.size);
    } finally {
      closeSync(file);
    }
  });
}

/**
 * Where a path really leads; of what is not there yet, where its folder does.
 *
 * @param {string} path
 */
function realPlace(path) {
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
 * The kernel's answer in words.
 *
 * @template T
 * @param {string} path
 * @param {() => T} run
 * @returns {T}
 */
function failing(path, run) {
  try {
    return run();
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Error(code === undefined ? message : `${path}: ${code}`);
  }
}
