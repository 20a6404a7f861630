import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Skill, SkillError } from '@ambit/core';
import type { SkillFile } from '@ambit/core/internal';

/** A file of a skill, open, found to be what the skill's digest covers. */
export interface ListedFile {
  /** Whether it is UTF-8 in which no NUL stands. */
  isText: boolean;
  /**
   * Its bytes, a piece at a time, each compared once more with what was found. Throws `SKILL_CHANGED` where the file has
   * changed since: nothing that the digest does not cover is handed out.
   */
  pieces(): AsyncGenerator<Buffer>;
  /** Whoever has it open closes it, whether the pieces were read or not. */
  close(): Promise<void>;
}

/** No more of a file is in memory at a time. */
const pieceBytes = 256 * 1024;

/**
 * Opens one of a skill's files. Only a path that the skill's digest covers is opened, and only bytes that it covers are
 * handed out: neither `..` nor a link, nor a swap in between, leads out of the folder. `undefined` for a link. Rejects with
 * `SKILL_CHANGED` for a file that is gone or not what it was when the skill was read.
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
    throw changed(file, error);
  }
  const found = await lookThrough(handle, file).catch(() => undefined); // a folder or the like has taken its place
  if (found === undefined) {
    await handle.close();
    throw changed(file);
  }
  const { isText, digests, only } = found;
  return {
    isText,
    async *pieces() {
      if (only !== undefined) return yield only;
      for (const [index, digest] of digests.entries()) {
        const piece = await pieceAt(handle, index, file.bytes);
        if (hash('sha256', piece) !== digest) throw changed(file);
        yield piece;
      }
    },
    close: () => handle.close(),
  };
}

function changed({ path }: SkillFile, cause?: unknown): SkillError {
  return new SkillError(
    'SKILL_CHANGED',
    `${path} is not what it was when the skill was read; ask for it again`,
    {
      cause,
    },
  );
}

interface Found {
  isText: boolean;
  /** SHA-256 of each piece, hex. */
  digests: readonly string[];
  /** The piece, where there is only one. */
  only: Buffer | undefined;
}

/** What it holds, by pieces; `undefined` when that is not what was listed. */
async function lookThrough(handle: FileHandle, { bytes, sha256 }: SkillFile): Promise<Found | undefined> {
  const whole = createHash('sha256');
  const digests: string[] = [];
  const text = textJudge();
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

/** As many bytes as are there, which are fewer only at the end and in a file that has become shorter. */
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

/** Judges bytes that come in pieces; a character may lie across two. */
function textJudge(): { take(piece: Buffer): void; isText(): boolean } {
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
