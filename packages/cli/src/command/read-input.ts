import { isUtf8 } from 'node:buffer';
import { createReadStream, openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SkillError } from '@ambit/core';
import { UsageError } from '@ambit/core/outcome';
import { findFlaw, flawText, notFiniteAt } from '@ambit/runtime';
import type { Terminal } from '../output/terminal.ts';

/** The source of the default limit, for messages. */
const byConfiguration = 'the limit set by bodyLimitBytes in the configuration';

/**
 * Reads a file, or stdin for `-`, as text. Throws `USAGE_INVALID` if it cannot be read, is longer than `bytesMax`, or is not
 * UTF-8. `limit` names the limit in the message.
 */
export async function readInput(
  { stdin, cwd }: Pick<Terminal, 'stdin' | 'cwd'>,
  source: string,
  bytesMax: number,
  limit = byConfiguration,
): Promise<string> {
  if (source !== '-') return decoded(await readFileBytes(cwd(), source, bytesMax, limit), source);
  return decoded(await readBytes(stdin, 'stdin', bytesMax, limit), 'stdin');
}

/** The same as bytes, if it is not UTF-8. */
export async function readTextOrBytes(
  { stdin, cwd }: Pick<Terminal, 'stdin' | 'cwd'>,
  source: string,
  bytesMax: number,
): Promise<string | Uint8Array> {
  const bytes =
    source === '-' ? await readBytes(stdin, 'stdin', bytesMax) : await readFileBytes(cwd(), source, bytesMax);
  return isUtf8(bytes) ? bytes.toString() : bytes;
}

function decoded(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError(`${place} is not UTF-8 text`, { cause });
  }
}

/** Reads the bytes of a file. Throws like `readInput`. `limit` names the limit in the message. */
export async function readFileBytes(
  cwd: string,
  path: string,
  bytesMax: number,
  limit = byConfiguration,
): Promise<Buffer> {
  return readBytes(createReadStream(resolve(cwd, path)), path, bytesMax, limit);
}

/** A file whose bytes are read when they are sent. Throws like `readInput`. */
export async function openFile(cwd: string, path: string): Promise<Blob> {
  const place = resolve(cwd, path);
  const stats = await stat(place).catch((cause: unknown) => {
    throw new UsageError(`cannot read ${path}: ${readProblem(cause)}`, { cause });
  });
  if (!stats.isFile()) throw new UsageError(`cannot read ${path}: it is not a file`);
  return openAsBlob(place);
}

async function readBytes(
  stream: AsyncIterable<Uint8Array | string>,
  place: string,
  bytesMax: number,
  limit = byConfiguration,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      const read = Buffer.from(chunk);
      bytes += read.length;
      if (bytes > bytesMax) throw new UsageError(`${place} is larger than ${bytesMax} bytes, ${limit}`);
      chunks.push(read);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${place}: ${readProblem(error)}`, { cause: error });
  }
}

/** Matches JSON on a command line. Anything else is the name of a file. */
const typedJson = /^\s*(?:[{["]|(?:-?\d[\d.eE+-]*|true|false|null)\s*$)/;

/**
 * Parses the argument of `option` as JSON, or the file that it names, or stdin for `-`. Throws like `readInput`, also for invalid JSON;
 * throws `INPUT_INVALID` for a number that is not finite.
 */
export async function readJson(
  terminal: Pick<Terminal, 'stdin' | 'cwd'>,
  source: string,
  bytesMax: number,
  option: string,
): Promise<unknown> {
  const isTyped = typedJson.test(source);
  const text = isTyped ? source : await readJsonText(terminal, source, bytesMax, option);
  const place = isTyped ? option : source === '-' ? 'stdin' : source;
  const value = parsed(text, place);
  const at = notFiniteAt(value);
  if (at === undefined) return value;
  throw new SkillError(
    'INPUT_INVALID',
    `${place} has a number that is too large${at === '' ? '' : `, at ${at}`}; the maximum is 1.7e308`,
  );
}

/** JSON without quotes, braces or brackets is easily taken for the name of a file. */
async function readJsonText(
  terminal: Pick<Terminal, 'stdin' | 'cwd'>,
  source: string,
  bytesMax: number,
  option: string,
): Promise<string> {
  return readInput(terminal, source, bytesMax).catch((error: unknown) => {
    if (!(error instanceof UsageError) || !isMissing(error.cause)) throw error;
    throw new UsageError(
      `there is no file ${source}; ${option} takes JSON such as '{"text":"…"}', a file with JSON, or - for stdin`,
      { cause: error.cause },
    );
  });
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The words of an HTTP request's body. Node's own error quotes the text.
    const flaw = findFlaw(text, { depthMax: Number.POSITIVE_INFINITY });
    const why = flaw === undefined ? (cause as Error).message : flawText(text, flaw);
    throw new UsageError(`${place} is not valid JSON: ${why}`, { cause });
  }
}

/** Returns why a file cannot be read, without the name of the system call. */
export function readProblem(error: unknown): string {
  return isMissing(error) ? 'it does not exist' : (error as Error).message;
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
