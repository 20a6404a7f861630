import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { KeyFileError } from '@ambit/client/node';
import { describeIssues } from '@ambit/core/internal';
import { z } from 'zod';
import { KeyRecord } from '../../auth/key-record.ts';
import { keysMax } from '../../auth/key-store.ts';
import { type KeyDatabase, toStored } from '../keys/stored-keys.ts';
import { setAside } from './set-aside.ts';

/** What Ambit 0.1.0 wrote as `keys.json`. */
const KeysFile = z
  .strictObject({ keys: z.array(KeyRecord).max(keysMax) })
  .superRefine(({ keys }, context) => {
    for (const field of ['name', 'sha256'] as const) {
      const seen = new Set<string>();
      for (const [index, key] of keys.entries()) {
        if (seen.has(key[field]))
          context.addIssue({
            code: 'custom',
            path: ['keys', index, field],
            message: `another key already has ${key[field]}`,
          });
        seen.add(key[field]);
      }
    }
  });
const bytesMax = 8 * 1024 * 1024;

/**
 * Adds the keys of a `keys.json` to a database; afterwards `setAside` moves it. Resolves to whether the file exists. A
 * repeated import changes nothing. Rejects with a `KeyFileError` if others can read the file, or if it is a link or malformed.
 */
export async function importFormerKeys(file: string, database: KeyDatabase): Promise<boolean> {
  const keys = readFormerKeys(file);
  if (keys === undefined) return false;
  const refused = await database.run('importKeys', keys.map(toStored));
  if (refused === 'full')
    throw new KeyFileError(
      `${unusable(file)}: with the keys that exist, there would be more than ${keysMax}`,
    );
  return true;
}

/** Moves the file to `former-0.1.0` beside it, as a copy. Rejects with a `KeyFileError`. */
export async function setAsideFormerKeys(file: string): Promise<void> {
  await setAside(file).catch((cause: NodeJS.ErrnoException) => {
    // Another command was faster.
    if (cause.code === 'ENOENT' && !existsSync(file)) return;
    throw new KeyFileError(`cannot move ${file} to former-0.1.0 beside it: ${cause.message}`, { cause });
  });
}

/** The keys of a `keys.json`; `undefined` if it does not exist. Throws a `KeyFileError`. */
export function readFormerKeys(file: string): readonly KeyRecord[] | undefined {
  const text = textOf(file);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new KeyFileError(`${unusable(file)}: it is not JSON (${(cause as Error).message})`, { cause });
  }
  const parsed = KeysFile.safeParse(value);
  if (parsed.success) return parsed.data.keys;
  throw new KeyFileError(`${unusable(file)}: ${describeIssues(parsed.error, KeysFile, value).join('; ')}`);
}

function textOf(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new KeyFileError(
      code === 'ELOOP'
        ? `the keys' file ${file} is a symbolic link; replace it with the file itself`
        : `cannot read the keys' file ${file}: ${message}`,
      { cause },
    );
  }
  try {
    const stat = fstatSync(descriptor);
    if ((stat.mode & 0o077) !== 0)
      throw new KeyFileError(`other users can access the keys' file ${file}; run "chmod 600 ${file}"`);
    if (!stat.isFile() || stat.size > bytesMax)
      throw new KeyFileError(`${unusable(file)}: it is not a regular file of at most ${bytesMax} bytes`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function unusable(file: string): string {
  return `the keys' file ${file} is unusable; fix it, or remove it and create its keys again`;
}
