/** @import { World } from '../pool/host-protocol.ts' */
import { closeSync, constants, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { CapabilityViolated } from './capability-violated.mjs';
import { readFrame, writeFrame } from './frames.mjs';

/**
 * What a skill can ask of its host, by name and with JSON values, as docs/host-functions.md has it. What the grant does
 * not allow throws `CapabilityViolated`, which is the end of the call; anything else that goes wrong throws an error
 * whose message the skill is shown.
 *
 * @param {World} world
 * @returns {(name: string, args: unknown[]) => unknown}
 */
export function hostFunctions(world) {
  return (name, args) => {
    switch (name) {
      case 'context':
        return world.context;
      case 'env':
        return environment(world, textAt(args, 0, name));
      case 'read_file':
        return readFile(world, textAt(args, 0, name));
      case 'write_file':
        return writeFile(world, textAt(args, 0, name), textAt(args, 1, name));
      case 'state_get':
      case 'state_set':
      case 'recall_memory':
        return ask(name, args);
      default:
        throw new Error(`there is no host function ${name}`);
    }
  };
}

const fileBytesMax = 16 * 1024 * 1024;

/**
 * @param {unknown[]} args
 * @param {number} index
 * @param {string} name
 */
function textAt(args, index, name) {
  const text = args[index];
  if (typeof text !== 'string') throw new TypeError(`${name}: argument ${index + 1} is no text`);
  return text;
}

/**
 * @param {World} world
 * @param {string} name
 */
function environment({ grantedEnv, env }, name) {
  if (!grantedEnv.includes(name)) throw new CapabilityViolated('env', `env asks for ${name}`);
  return env[name] ?? null;
}

/**
 * An absolute path is one of the host's, which exists here only when it is granted. Any other is a file of the skill's own,
 * which only the daemon can read.
 *
 * @param {World} world
 * @param {string} path
 */
function readFile({ files }, path) {
  if (!path.startsWith('/')) return ask('read_file', [path]);
  if (![...files.read, ...files.write].some((granted) => within(path, granted))) {
    throw new CapabilityViolated('filesystem.read', `read_file asks for ${path}`);
  }
  return textOf(path);
}

/**
 * @param {World} world
 * @param {string} path
 * @param {string} text
 */
function writeFile({ files }, path, text) {
  if (!files.write.some((granted) => within(path, granted))) {
    throw new CapabilityViolated('filesystem.write', `write_file asks for ${path}`);
  }
  failing(path, () => {
    // A FIFO that somebody put there is not waited for.
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK;
    writeFileSync(path, text, { flag: /** @type {any} */ (flags) });
  });
  return null;
}

/**
 * @param {string} path
 * @param {string} granted
 */
function within(path, granted) {
  const plain = posix.normalize(path);
  return plain === granted || plain.startsWith(granted === '/' ? '/' : `${granted}/`);
}

/** @param {string} path */
function textOf(path) {
  return failing(path, () => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw new Error(`${path} is no ordinary file`);
      if (stats.size > fileBytesMax) throw new Error(`${path} is longer than ${fileBytesMax} bytes`);
      return utf8(path, readFileSync(file));
    } finally {
      closeSync(file);
    }
  });
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
 * The kernel's answer in words, without more of the machine than the skill named itself.
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

/**
 * What only the daemon has: it is told, and waited for.
 *
 * @param {string} name
 * @param {unknown[]} args
 */
function ask(name, args) {
  writeFrame({ type: 'ask', name, args });
  const answer = readFrame()?.header;
  if (answer === undefined) throw new Error('the daemon is gone');
  if (answer.violated !== undefined)
    throw new CapabilityViolated(answer.violated.capability, answer.violated.detail);
  if (answer.message !== undefined) throw new Error(answer.message);
  return answer.value;
}
