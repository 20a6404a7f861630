import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/internal';
import type { Environment } from '../environment/environment.ts';
import { operatorCommand } from '../process/operator-command.ts';
import { readPrivately } from './read-privately.ts';

/** Where an operator keeps a secret: a variable of the daemon's environment, a private file, what a command prints. */
export type SecretLocation = { env: string } | { file: string } | { command: readonly string[] };

/** Gives a secret's value. Rejects with `SECRET_UNAVAILABLE` when it cannot be had; a value never stands in an error. */
export type SecretSource = (name: string) => Promise<string>;

/** A password manager may ask its owner: what it said is kept for so long. */
const keptMs = 5 * 60_000;

/** Secrets from where the operator says that they are. Files and variables are read anew for each call. */
export function secretSource(
  places: Readonly<Record<string, SecretLocation>>,
  environment: Environment,
): SecretSource {
  const printed = new Map<string, { value: Promise<string>; until: number }>();

  const fromCommand = (name: string, command: readonly string[]): Promise<string> => {
    const known = printed.get(name);
    if (known !== undefined && known.until > performance.now()) return known.value;
    const value = operatorCommand(command, environment);
    printed.set(name, { value, until: performance.now() + keptMs });
    // What went wrong may be mended by the next call.
    value.catch(() => printed.delete(name));
    return value;
  };

  const secretOf = async (name: string): Promise<string> => {
    const place = Object.hasOwn(places, name) ? places[name] : undefined;
    if (place === undefined) throw new Error('the configuration does not say where it is kept');
    if ('env' in place) {
      const value = environment[place.env];
      if (value === undefined) throw new Error(`the daemon's environment has no ${place.env}`);
      return value;
    }
    return 'file' in place ? readPrivately(place.file) : fromCommand(name, place.command);
  };

  return async (name) => {
    let value: string;
    try {
      value = (await secretOf(name)).replace(/\r?\n$/, '');
    } catch (cause) {
      throw unavailable(name, thrownText(cause));
    }
    // What could stand anywhere would be replaced and redacted everywhere; a line break would end a header.
    if (value.length < shortest) throw unavailable(name, `it has less than ${shortest} characters`);
    if (/[\r\n\0]/.test(value)) throw unavailable(name, 'it has more than one line');
    return value;
  };
}

const shortest = 4;

function unavailable(name: string, why: string): SkillError {
  return new SkillError(
    'SECRET_UNAVAILABLE',
    `the secret ${name} cannot be had: ${why}; see secrets.${name} in the configuration`,
  );
}
