import type { Environment } from '@ambit/runtime';
import {
  type RedactionList,
  redactingSecrets,
  redactionList,
  type SecretSource,
  secretSource,
} from '@ambit/runtime';
import type { Config } from '../config/config.ts';

/** The secrets, and their redactions in everything stored. */
export interface KnownSecrets {
  source: SecretSource;
  redactions: RedactionList;
}

/**
 * Loads the operator's secrets. Those from variables and files are redacted from now on. Those from a command are redacted
 * once a call needs them: the command may prompt its user. They are added to `redactions` if it is given.
 */
export async function knownSecrets(
  { secrets }: Pick<Config, 'secrets'>,
  environment: Environment,
  redactions: RedactionList = redactionList(),
): Promise<KnownSecrets> {
  const source = redactingSecrets(secretSource(secrets, environment), redactions);
  const withoutCommand = Object.keys(secrets).filter((name) => !('command' in (secrets[name] ?? {})));
  // A call that needs an unavailable secret reports the error.
  await Promise.allSettled(withoutCommand.map(source));
  return { source, redactions };
}
