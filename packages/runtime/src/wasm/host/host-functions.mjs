/** @import { World } from '../pool/host-protocol.ts' */
/** @import { CallUses } from './call-uses.mjs' */
import { posix } from 'node:path';
import { CapabilityViolated } from './capability-violated.mjs';
import { readFrame, writeFrame } from './frames.mjs';
import { isGranted, readText, replaceFile } from './granted-files.mjs';

/**
 * The host functions of a skill, by name and with JSON values, as docs/host-functions.md describes.
 * A call beyond the grant throws `CapabilityViolated`, which ends the call. Any other failure
 * throws an error whose message the skill sees.
 *
 * @param {World} world
 * @param {(progress: unknown) => void} emitProgress throws for invalid progress
 * @param {CallUses} uses records uses of the grant, and calls of functions that are
 *   answered here
 * @returns {(name: string, args: unknown[]) => unknown}
 */
export function hostFunctions(world, emitProgress, uses) {
  return (name, args) => {
    switch (name) {
      case 'context':
        return uses.called(name, () => world.context);
      case 'progress':
        return uses.called(name, () => {
          emitProgress(args[0]);
          return null;
        });
      case 'env':
        return uses.called(name, () => environment(world, textAt(args, 0, name), uses));
      case 'read_file':
        return readFile(world, textAt(args, 0, name), uses);
      case 'write_file':
        return uses.called(name, () => writeFile(world, textAt(args, 0, name), textAt(args, 1, name), uses));
      case 'state_get':
      case 'state_set':
      case 'recall_memory':
      case 'http_request':
        return ask(name, args);
      default:
        throw new Error(`unknown host function ${name}`);
    }
  };
}

/**
 * @param {unknown[]} args
 * @param {number} index
 * @param {string} name
 */
function textAt(args, index, name) {
  const text = args[index];
  if (typeof text !== 'string') throw new TypeError(`${name}: argument ${index + 1} is not a string`);
  return text;
}

/**
 * @param {World} world
 * @param {string} name
 * @param {CallUses} uses
 */
function environment({ grantedEnv, env }, name, uses) {
  if (!grantedEnv.includes(name)) throw new CapabilityViolated('env', `env asks for ${name}`, name);
  uses.variable(name);
  return env[name] ?? null;
}

/**
 * An absolute path is a host path, which exists here only if granted. Any other path is a file of
 * the skill, which only the daemon can read.
 *
 * @param {World} world
 * @param {string} path
 * @param {CallUses} uses
 */
function readFile({ files }, path, uses) {
  if (!path.startsWith('/')) return ask('read_file', [path]);
  return uses.called('read_file', () => {
    const granted = [...files.read, ...files.write];
    if (!isGranted(path, granted)) throw violated('filesystem.read', 'read_file', path);
    const text = readText(path, granted);
    uses.read(posix.resolve(path));
    return text;
  });
}

/**
 * @param {World} world
 * @param {string} path
 * @param {string} text
 * @param {CallUses} uses
 */
function writeFile({ files, fileBytes }, path, text, uses) {
  if (!isGranted(path, files.write)) throw violated('filesystem.write', 'write_file', path);
  const bytes = Buffer.from(text);
  if (bytes.length > fileBytes) throw new Error(`${path} would exceed limits.fileBytes (${fileBytes} bytes)`);
  replaceFile(path, bytes, files.write);
  uses.wrote(posix.resolve(path));
  return null;
}

/**
 * @param {string} capability
 * @param {string} name
 * @param {string} path
 */
function violated(capability, name, path) {
  return new CapabilityViolated(capability, `${name} asks for ${path}`, posix.resolve('/', path));
}

/** The skill's own files, which only the daemon can list and read. */
export const skillFiles = Object.freeze({
  list: () => /** @type {{ path: string, bytes: number }[]} */ (ask('skill_files', [])),
  read: (/** @type {string} */ path) => /** @type {Uint8Array} */ (ask('skill_file', [path])),
});

/** As JSON: far more than the daemon accepts. */
const argumentCharactersMax = 512 * 1024;
/** Objects, arrays, strings, numbers and so on: more than state can store. */
const argumentValuesMax = 40_000;
/** As deep as an output may be: deeper values could be stored as state and never returned. */
const argumentDepthMax = 512;

/** Whether an answer of the daemon was not read, because an error such as a full stack came in between. */
let isAsking = false;

/** Ends the host if the answer to an earlier request could be taken for the next call. */
export function endIfUnanswered() {
  if (isAsking) throw new Error('the answer to a request was not read');
}

/**
 * Asks the daemon and waits for the answer.
 *
 * @param {string} name
 * @param {unknown[]} args
 */
function ask(name, args) {
  if (JSON.stringify(args).length > argumentCharactersMax) {
    throw new Error(`${name}: arguments are longer than ${argumentCharactersMax} characters`);
  }
  const flaw = flawOf(args);
  if (flaw !== undefined) throw new Error(`${name}: arguments contain ${flaw}`);
  isAsking = true;
  writeFrame({ type: 'ask', name, args });
  const frame = readFrame();
  isAsking = false;
  if (frame === undefined) throw new Error('the daemon closed the connection');
  const { header: answer, body } = frame;
  if (answer.violated !== undefined)
    throw new CapabilityViolated(answer.violated.capability, answer.violated.detail, answer.violated.item);
  if (answer.message !== undefined) throw new Error(answer.message);
  if (answer.body === 'value') return body.toString();
  // A copy: the next frame overwrites the buffer.
  if (answer.body === 'bytes') return Uint8Array.from(body);
  if (answer.body === 'text') return { ...answer.value, text: body.toString() };
  if (answer.body === 'base64') return { ...answer.value, base64: body.toString('base64') };
  return answer.value;
}

/** @param {unknown} value */
function flawOf(value) {
  let level = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length;
    const below = [];
    for (const each of level) {
      // `JSON.parse` reads 1e400 as Infinity, which JSON then writes as null.
      if (typeof each === 'number' && !Number.isFinite(each)) return 'a number that is not finite';
      if (typeof each !== 'object' || each === null) continue;
      // The argument list itself has depth 0.
      if (depth > argumentDepthMax) return `values nested more than ${argumentDepthMax} deep`;
      for (const inner of Object.values(each)) below.push(inner);
    }
    level = below;
  }
  return count > argumentValuesMax ? `more than ${argumentValuesMax} values` : undefined;
}
