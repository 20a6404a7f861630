import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from './cli-error.ts';
import type { Terminal } from './terminal.ts';

/**
 * The text of a file, or of stdin for `-`, of at most `bytesMax` bytes. Throws `USAGE_INVALID` when it cannot be read,
 * is longer, or is not UTF-8.
 */
export async function readInput(
  { stdin, cwd }: Pick<Terminal, 'stdin' | 'cwd'>,
  source: string,
  bytesMax: number,
): Promise<string> {
  const place = source === '-' ? 'stdin' : source;
  const stream = source === '-' ? stdin : createReadStream(resolve(cwd(), source));
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      const read = Buffer.from(chunk);
      bytes += read.length;
      if (bytes > bytesMax) throw tooLong(place, bytesMax);
      chunks.push(read);
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof CliError) throw error;
    const problem = error instanceof TypeError ? 'it is not UTF-8' : (error as Error).message;
    throw new CliError('USAGE_INVALID', `cannot read ${place}: ${problem}`, { cause: error });
  }
}

/** The JSON of a file, or of stdin for `-`. Throws `USAGE_INVALID` alike, and when it is no JSON. */
export async function readJson(
  terminal: Pick<Terminal, 'stdin' | 'cwd'>,
  source: string,
  bytesMax: number,
): Promise<unknown> {
  const text = await readInput(terminal, source, bytesMax);
  try {
    return JSON.parse(text);
  } catch (error) {
    const place = source === '-' ? 'stdin' : source;
    throw new CliError('USAGE_INVALID', `${place} is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function tooLong(place: string, bytesMax: number): CliError {
  return new CliError(
    'USAGE_INVALID',
    `${place} has more than ${bytesMax} bytes; bodyLimitBytes in the configuration sets how much is read`,
  );
}
