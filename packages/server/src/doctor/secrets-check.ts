import type { Environment } from '@ambit/runtime';
import { shortSecrets } from '../app/observe/log-short-secrets.ts';
import type { Config } from '../config/config.ts';
import type { DoctorCheck } from './doctor-report.ts';

/** Whether the configured secrets are long enough to be redacted. Without secrets, there is no check. */
export async function secretsCheck(
  config: Pick<Config, 'secrets'>,
  environment: Environment,
): Promise<DoctorCheck[]> {
  const count = Object.keys(config.secrets).length;
  if (count === 0) return [];
  const name = 'secrets';
  const short = await shortSecrets(config, environment);
  if (short.length === 0)
    return [
      {
        name,
        status: 'ok',
        found: `${count} configured`,
        meaning: 'all that can be read here are long enough to be redacted',
      },
    ];
  return [
    {
      name,
      status: 'limited',
      found: `too short to be redacted: ${short.join(', ')}`,
      meaning: 'outputs, records and logs can contain them: redacting a short secret would confirm a guess',
      fix: 'Use secrets with at least 16 bytes beyond a public beginning such as ghp_',
    },
  ];
}
