import { type Environment, isMatchedByValue, secretSource } from '@ambit/runtime';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';

/** Logs the secrets of a configuration that are too short to be redacted. */
export async function logShortSecrets(
  config: Pick<Config, 'secrets'>,
  environment: Environment,
  logger: Logger,
): Promise<void> {
  const short = await shortSecrets(config, environment);
  if (short.length > 0)
    logger.warn(
      { secrets: short },
      'these secrets are not redacted: they have fewer than 16 bytes beyond a public beginning such as ghp_; use longer ones',
    );
}

/**
 * The secrets of a configuration, by name, that are too short to be found in text: redacting them would show which guess is
 * right. Secrets that a command prints are left out, because it may prompt its user.
 */
export async function shortSecrets(
  { secrets }: Pick<Config, 'secrets'>,
  environment: Environment,
): Promise<string[]> {
  const names = Object.keys(secrets).filter((name) => !('command' in (secrets[name] ?? {})));
  const read = secretSource(secrets, environment);
  const values = await Promise.allSettled(names.map(read));
  return names.filter((_name, index) => {
    const result = values[index];
    // A call that needs an unavailable secret reports the error.
    return result?.status === 'fulfilled' && !isMatchedByValue(result.value);
  });
}
