import type { Environment } from '@ambit/runtime';
import {
  type RedactionList,
  redactingSecrets,
  redactionList,
  type SecretSource,
  secretSource,
} from '@ambit/runtime';
import type { Config } from '../config/config.ts';

/** Secrets, and what covers them in whatever is kept. */
export interface KnownSecrets {
  source: SecretSource;
  redactions: RedactionList;
}

/**
 * The operator's secrets. Those of variables and files are known from now on, also where no call has been given one yet;
 * what a command prints is known once a call needs it, for it may ask its owner. A `redactions` that is there learns them in addition.
 */
export async function knownSecrets(
  { secrets }: Pick<Config, 'secrets'>,
  environment: Environment,
  redactions: RedactionList = redactionList(),
): Promise<KnownSecrets> {
  const source = redactingSecrets(secretSource(secrets, environment), redactions);
  const quiet = Object.keys(secrets).filter((name) => !('command' in (secrets[name] ?? {})));
  // One that cannot be had is told of by the call that needs it.
  await Promise.allSettled(quiet.map(source));
  return { source, redactions };
}
