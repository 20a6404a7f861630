import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { SkillError } from '@ambit/core';
import { notFiniteAt } from '@ambit/runtime';
import type { Terminal } from '../output/terminal.ts';
import { CliError } from '../ports/cli-error.ts';

/** The source of the default limit, for messages. */
export const byConfiguration = 'the limit set by bodyLimitBytes in the configuration';

/**
 * Reads a file, or stdin for `-`, as text. Throws `USAGE_INVALID` if it cannot be read, is longer than `bytesMax`, or is not
 * UTF-8.
 */
export async function readInput(
  { stdin, cwd }: Pick<Terminal, 'stdin' | 'cwd'>,
  source: string,
  bytesMax: number,
): Promise<string> {
  if (source !== '-') return decoded(await readFileBytes(cwd(), source, bytesMax), source);
  return decoded(await readBytes(stdin, 'stdin', bytesMax), 'stdin');
}

function decoded(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CliError('USAGE_INVALID', `${place} is not UTF-8 text`, { cause });
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
      if (bytes > bytesMax)
        throw new CliError('USAGE_INVALID', `${place} is larger than ${bytesMax} bytes, ${limit}`);
      chunks.push(read);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('USAGE_INVALID', `cannot read ${place}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Matches JSON on a command line. Anything else is the name of a file. */
const typedJson = /^\s*(?:[{["]|(?:-?\d[\d.eE+-]*|true|false|null)\s*$)/;

/**
 * Parses an argument as JSON, or the file that it names, or stdin for `-`. Throws like `readInput`, also for invalid JSON;
 * throws `INPUT_INVALID` for a number that is not finite.
 */
export async function readJson(
  terminal: Pick<Terminal, 'stdin' | 'cwd'>,
  source: string,
  bytesMax: number,
): Promise<unknown> {
  const isTyped = typedJson.test(source);
  const text = isTyped ? source : await readInput(terminal, source, bytesMax);
  const place = isTyped ? cut(source) : source === '-' ? 'stdin' : source;
  const value = parsed(text, place);
  const at = notFiniteAt(value);
  if (at === undefined) return value;
  throw new SkillError(
    'INPUT_INVALID',
    `${place} has a number that is too large${at === '' ? '' : `, at ${at}`}; the maximum is 1.7e308`,
  );
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError('USAGE_INVALID', `${place} is not valid JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
