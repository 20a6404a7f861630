import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/outcome';
import type { Environment } from '../spawn/environment.ts';
import { operatorCommand } from '../spawn/operator-command.ts';

/**
 * The place of an operator's secret: a variable of the daemon's environment, a private file, or the
 * output of a command.
 */
export type SecretLocation = { env: string } | { file: string } | { command: readonly string[] };

/** Returns a secret's value. Rejects with `SECRET_UNAVAILABLE`; errors never contain a value. */
export type SecretSource = (name: string) => Promise<string>;

/** The time that the output of a command is cached: a password manager may prompt its owner. */
const cachedMs = 5 * 60_000;

/** Secrets from the operator's locations. Files and variables are read for each call. */
export function secretSource(
  locations: Readonly<Record<string, SecretLocation>>,
  environment: Environment,
): SecretSource {
  const outputs = new Map<string, { value: Promise<string>; until: number }>();

  const fromCommand = (name: string, command: readonly string[]): Promise<string> => {
    const known = outputs.get(name);
    if (known !== undefined && known.until > performance.now()) return known.value;
    const value = operatorCommand(command, environment);
    outputs.set(name, { value, until: performance.now() + cachedMs });
    // The next call tries again.
    value.catch(() => outputs.delete(name));
    return value;
  };

  const secretOf = async (name: string, location: SecretLocation): Promise<string> => {
    if ('env' in location) {
      const value = environment[location.env];
      if (value === undefined) throw new Error(`the daemon's environment has no variable ${location.env}`);
      return value;
    }
    return 'file' in location ? readPrivately(location.file) : fromCommand(name, location.command);
  };

  return async (name) => {
    const location = Object.hasOwn(locations, name) ? locations[name] : undefined;
    if (location === undefined) throw undeclared(name);
    let value: string;
    try {
      value = (await secretOf(name, location)).replace(/\r?\n$/, '');
    } catch (cause) {
      throw unavailable(name, thrownText(cause));
    }
    // A very short value is a mistake, such as an empty variable. A line break would end a header.
    if (value.length < charactersMin)
      throw unavailable(name, `it has fewer than ${charactersMin} characters`);
    if (/[\r\n\0]/.test(value)) throw unavailable(name, 'it contains a line break');
    return value;
  };
}

const charactersMin = 4;

function undeclared(name: string): SkillError {
  return new SkillError(
    'SECRET_UNAVAILABLE',
    `the secret ${name} is unavailable: the configuration does not say where it is stored. Add to ambit.config.yaml: secrets: { ${name}: { env: ${name} } }, or another variable, a file or a command`,
  );
}

function unavailable(name: string, why: string): SkillError {
  return new SkillError(
    'SECRET_UNAVAILABLE',
    `the secret ${name} is unavailable: ${why}; see secrets.${name} in the configuration`,
  );
}

const bytesMax = 64 * 1024;
const openToOthers = 0o077;

/**
 * Reads a file that only its owner can read. Rejects for any other, and for anything but a file of
 * up to 64 KiB.
 */
async function readPrivately(path: string): Promise<string> {
  // NONBLOCK avoids waiting for the writer of a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw new Error(`${path} cannot be opened (${(error as NodeJS.ErrnoException).code})`);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > bytesMax) throw new Error(`${path} is not a file of at most 64 KiB`);
    if ((stats.mode & openToOthers) !== 0) throw new Error(`others can read ${path}: chmod 600 ${path}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
