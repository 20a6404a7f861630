import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Skill, SkillError } from '@ambit/core';
import type { SkillFile } from '@ambit/core/skill';

/** An open file of a skill, verified against the skill's digest. */
export interface ListedFile {
  /** Whether it is UTF-8 without NUL characters. */
  isText: boolean;
  /**
   * The content in pieces, each verified again. Throws `SKILL_CHANGED` if the file has changed
   * since it was opened. It never returns bytes that the digest does not cover.
   */
  pieces(): AsyncGenerator<Buffer>;
  /** The caller must close it, even after reading all pieces. */
  close(): Promise<void>;
}

/** The most of a file held in memory. */
const pieceBytes = 256 * 1024;

/**
 * Opens one of a skill's files. It opens only paths that the skill's digest covers and returns only
 * bytes that it covers, so `..`, links and concurrent replacement cannot lead out of the folder.
 * `undefined` for a link. Rejects with `SKILL_CHANGED` if the file is missing or has changed since
 * the skill was read.
 */
export async function openListedFile(
  { root }: Pick<Skill, 'root'>,
  file: SkillFile,
): Promise<ListedFile | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let handle: FileHandle;
  try {
    handle = await open(join(root, file.path), flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return undefined;
    throw changedError(file, error);
  }
  const found = await readAndVerify(handle, file).catch(() => undefined); // a folder, for example, has replaced it
  if (found === undefined) {
    await handle.close();
    throw changedError(file);
  }
  const { isText, digests, only } = found;
  return {
    isText,
    async *pieces() {
      if (only !== undefined) return yield only;
      for (const [index, digest] of digests.entries()) {
        const piece = await pieceAt(handle, index, file.bytes);
        if (hash('sha256', piece) !== digest) throw changedError(file);
        yield piece;
      }
    },
    close: () => handle.close(),
  };
}

/** All bytes of one of a skill's files. `undefined` and errors as for `openListedFile`. */
export async function readListedFile(
  skill: Pick<Skill, 'root'>,
  file: SkillFile,
): Promise<Buffer | undefined> {
  const opened = await openListedFile(skill, file);
  if (opened === undefined) return undefined;
  try {
    const pieces: Buffer[] = [];
    for await (const piece of opened.pieces()) pieces.push(piece);
    return Buffer.concat(pieces);
  } finally {
    await opened.close();
  }
}

function changedError({ path }: SkillFile, cause?: unknown): SkillError {
  return new SkillError('SKILL_CHANGED', `${path} changed after the skill was read; request it again`, {
    cause,
  });
}

interface Facts {
  isText: boolean;
  /** SHA-256 of each piece, hex. */
  digests: readonly string[];
  /** The piece, if there is only one. */
  only: Buffer | undefined;
}

/** Reads and hashes the content in pieces; `undefined` if it differs from the listing. */
async function readAndVerify(handle: FileHandle, { bytes, sha256 }: SkillFile): Promise<Facts | undefined> {
  const whole = createHash('sha256');
  const digests: string[] = [];
  const text = textDetector();
  let piece: Buffer = Buffer.alloc(0);
  for (let index = 0; index * pieceBytes < bytes; index += 1) {
    piece = await pieceAt(handle, index, bytes);
    whole.update(piece);
    digests.push(hash('sha256', piece));
    text.take(piece);
  }
  if (whole.digest('hex') !== sha256) return undefined;
  return { isText: text.isText(), digests, only: digests.length > 1 ? undefined : piece };
}

/** The bytes of one piece: fewer at the end, and in a file that became shorter. */
async function pieceAt(handle: FileHandle, index: number, bytes: number): Promise<Buffer> {
  const from = index * pieceBytes;
  const piece = Buffer.alloc(Math.min(pieceBytes, bytes - from));
  let length = 0;
  while (length < piece.length) {
    const { bytesRead } = await handle.read(piece, length, piece.length - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return piece.subarray(0, length);
}

/** Checks bytes in pieces; a character may span two. */
function textDetector(): { take(piece: Buffer): void; isText(): boolean } {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isText = true;
  return {
    take(piece) {
      isText &&= !piece.includes(0) && decodes(() => decoder.decode(piece, { stream: true }));
    },
    isText: () => isText && decodes(() => decoder.decode()),
  };
}

function decodes(decode: () => string): boolean {
  try {
    decode();
    return true;
  } catch {
    return false;
  }
}
