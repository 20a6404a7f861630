import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Skill } from '@ambit/core';
import { writeDurably } from '../../durable/write-durably.ts';
import { turns } from '../../stream/turns.ts';
import type { ReadSkill } from '../folder/read-skill-folder.ts';

/** The file that stores read skills for the next process, and what it must match. */
export interface SkillCacheOptions {
  /** In a folder that only this user can change. */
  file: string;
  /** A secret of this user. A file that was not written with it is ignored. */
  key: string;
  /** Changes with the program: another one may read a folder differently. */
  program: string;
}

/** Skills that an earlier process read. */
export interface StoredSkills {
  /** A survey must confirm each: a folder that differs from its signature has changed since. */
  signatures: readonly string[];
  /** Resolves to the skills by root, with the tier that they had. */
  skills(): Promise<ReadonlyMap<string, ReadSkill>>;
}

const fileBytesMax = 64 * 1024 * 1024;
/** The longest text and signature of a skill that is stored. A signature has about 100 characters per file. */
const skillCharactersMax = 256 * 1024;

/** A block takes a few milliseconds to parse. */
const skillsPerBlock = 50;

const macBytes = 32;

/** Separates signatures. No signature contains two of these characters in a row. */
const separator = '\0\0';

/**
 * Reads stored skills. Never rejects: `undefined` without a file, and for a file that this user, this
 * program and this key did not write, that another user could change, or that is damaged.
 */
export async function readSkillCache(options: SkillCacheOptions): Promise<StoredSkills | undefined> {
  try {
    const content = await readOwnFile(options.file);
    const mac = macOf(options);
    await inTurns(content.subarray(macBytes), mac);
    if (!timingSafeEqual(content.subarray(0, macBytes), mac.digest())) return undefined;
    const [first, ...rest] = blocksOf(content);
    if (first === undefined) return undefined;
    const signatures = first.toString().split(separator);
    return {
      signatures,
      async skills() {
        const byRoot = new Map<string, ReadSkill>();
        const turn = turns();
        for (const block of rest) {
          await turn(block.length);
          for (const skill of JSON.parse(block.toString()) as Skill[])
            byRoot.set(skill.root, { skill, signature: signatures[byRoot.size] ?? '', settled: true });
        }
        return byRoot;
      },
    };
  } catch {
    return undefined;
  }
}

/**
 * Stores skills for the next process, up to about 32 MiB; it reads the others again. Rejects if the file
 * cannot be written.
 */
export async function writeSkillCache(
  options: SkillCacheOptions,
  skills: Iterable<ReadSkill>,
): Promise<void> {
  const signatures: string[] = [];
  const blocks: Buffer[] = [];
  let bytes = 0;
  let block: Skill[] = [];
  const turn = turns();
  const endBlock = async (): Promise<void> => {
    const content = Buffer.from(JSON.stringify(block));
    block = [];
    bytes += content.length;
    blocks.push(content);
    await turn(content.length);
  };
  for (const { skill, signature, settled } of skills) {
    const isSmall = skill.body.length + signature.length <= skillCharactersMax;
    if (!settled || !isSmall || !hasKernelTimes(signature) || !isJson(skill.sidecar)) continue;
    signatures.push(signature);
    block.push(skill);
    if (block.length === skillsPerBlock) await endBlock();
    // The rest is for the signatures and the last block.
    if (bytes > fileBytesMax / 2) break;
  }
  await endBlock();
  const content = Buffer.concat([
    Buffer.alloc(macBytes),
    ...[Buffer.from(signatures.join(separator)), ...blocks].flatMap((each) => [lengthOf(each), each]),
  ]);
  const mac = macOf(options);
  await inTurns(content.subarray(macBytes), mac);
  mac.digest().copy(content);
  await writeDurably(options.file, content);
}

/**
 * Whether all times have a fraction of a second. Images and archives set the time of a changed file to
 * a whole second, the same one for the next content, and so do file systems that count in seconds.
 */
function hasKernelTimes(signature: string): boolean {
  return !/0{9}(?:\n|$)/.test(signature);
}

/** Whether JSON can express the value. YAML also has infinity, which the schema of an input can contain. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === Array.prototype) && Object.values(value).every(isJson)
  );
}

/** Throws unless it is a regular file of this user, which no other user can read or change. */
async function readOwnFile(file: string): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    const isOwn = stats.isFile() && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0;
    if (!isOwn || stats.size > fileBytesMax) throw new Error('not a file of this user, or too large');
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function macOf({ key, program }: SkillCacheOptions): Hmac {
  return createHmac('sha256', key).update(`ambit skills\0${program}\0`);
}

async function inTurns(content: Buffer, mac: Hmac): Promise<void> {
  const turn = turns();
  for (let at = 0; at < content.length; at += macPieceBytes) {
    const piece = content.subarray(at, at + macPieceBytes);
    mac.update(piece);
    await turn(piece.length);
  }
}

const macPieceBytes = 512 * 1024;

function lengthOf(block: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(block.length);
  return length;
}

/** The blocks after the MAC. Each begins with its length in bytes, 32 bits in little-endian order. */
function blocksOf(content: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = macBytes; at < content.length; ) {
    const end = at + 4 + content.readUInt32LE(at);
    blocks.push(content.subarray(at + 4, end));
    at = end;
  }
  return blocks;
}
