import type { Environment } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { settingVariables } from '../config/setting-variables.ts';

/**
 * The variables of a user's login that programs read: where programs and the user's folders are, the language and the time
 * zone. `TMPDIR` is where Ambit and its programs create temporary files.
 */
const loginVariables: readonly string[] = [
  'PATH',
  'HOME',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
  // Certificates that Node trusts besides its own.
  'NODE_EXTRA_CA_CERTS',
];

/** Locale categories, and the settings of OpenTelemetry, which have no other place. */
const prefixes: readonly string[] = ['LC_', 'OTEL_'];

/** The command resolves these, and passes them as arguments. */
const resolvedVariables: readonly string[] = ['AMBIT_DATA_DIR'];

/** The variables that the configuration names: for secrets, and granted to skills. */
export function configuredVariables({ secrets, grants }: Pick<Config, 'secrets' | 'grants'>): string[] {
  return [
    ...Object.values(secrets).flatMap((source) => ('env' in source ? [source.env] : [])),
    ...Object.values(grants).flatMap(({ env }) => env),
  ];
}

/**
 * The environment of a daemon on demand: the variables of a login, the settings in variables, and what the configuration names
 * (secrets, and variables granted to skills). The rest of the first caller's environment, which may hold its keys, stays out.
 */
export function daemonEnvironment(
  config: Pick<Config, 'secrets' | 'grants'>,
  environment: Environment,
): Environment {
  const named = new Set([
    ...loginVariables,
    ...settingVariables().filter((name) => !resolvedVariables.includes(name)),
    ...configuredVariables(config),
  ]);
  const isNamed = (name: string): boolean =>
    named.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isNamed(name)));
}
