import { z } from 'zod';
import { lockFileOf } from '../lock/lock-file.ts';
import { agentSkillFolders, userConfigFile } from '../trust/config-scope.ts';
import { defaultDataDir, refuseForeignDataDir } from '../trust/found-data-dir.ts';
import { withPolicy } from './cluster-policy.ts';
import type { Config, ConfigEntry, ConfigSources, NamedDaemon, Sourced } from './config.ts';
import { configEntries } from './config-entries.ts';
import { ConfigError } from './config-error.ts';
import { anchoredPath, DaemonUrl } from './file/plain-values.ts';
import { type Settings, settingsSchema } from './file/settings.ts';
import { fileIssues } from './file-issues.ts';
import { fileLayer } from './file-layer.ts';
import { generalConfig } from './general-config.ts';
import { hostGrantIssues } from './host-grants.ts';
import { keysOf, section } from './keys.ts';
import { documentOf, type Layer, overrides } from './layers.ts';
import { isLoopback } from './listen-address.ts';
import { readInstalled } from './read-installed.ts';
import { skillRoots } from './skill-roots.ts';

/** Loads the configuration, and keeps the origin of each value of what it has loaded. */
export interface ConfigLoader {
  /**
   * Loads the configuration: defaults, overridden by the file, by `AMBIT_*` and by the flags.
   *
   * Rejects with a `ConfigError` that lists every mistake, or with an `UntrustedError` for a found file or data directory that
   * is not trusted.
   */
  load(sources: ConfigSources): Promise<Config>;
  /** The values of a configuration that it has loaded, with their origins. */
  valuesOf(config: Config): readonly ConfigEntry[] | undefined;
}

/** See `ConfigLoader`. */
export function configLoader(): ConfigLoader {
  const values = new WeakMap<Config, readonly ConfigEntry[]>();
  return {
    async load(sources) {
      const { config, entries } = await resolve(sources);
      values.set(config, entries);
      return config;
    },
    valuesOf: (config) => values.get(config),
  };
}

/** The data directory that a variable or a flag names. */
export function namedDataDir(
  sources: Pick<ConfigSources, 'flags' | 'env' | 'cwd' | 'home'>,
): string | undefined {
  const schema = settingsSchema(sources.cwd, sources.home);
  const { layer } = overrides(keysOf(schema), sources);
  return layer.get('dataDir')?.value as string | undefined;
}

/** Takes every value from the highest layer that sets it. */
async function resolve(sources: ConfigSources): Promise<{ config: Config; entries: ConfigEntry[] }> {
  const { cwd, dataHome, home } = sources;
  const schema = settingsSchema(cwd, home);
  const { path, folder, layer, issues, scope } = await fileLayer(sources, schema);
  const keys = keysOf(schema.extend({ daemon: namedDaemonKeys(sources) }));
  const overriding = overrides(keys, sources);
  const values: Layer = new Map([...layer, ...overriding.layer]);
  const settings = documentOf(values) as Settings & { daemon?: NamedDaemon };
  const dataDir = settings.dataDir ?? defaultDataDir(scope.kind === 'user' ? null : folder, dataHome) ?? '';

  const mistakes = [...issues, ...overriding.issues];
  if (dataDir === '') mistakes.push(noDataDir);
  const { allowRemote, tls, host } = settings.listen;
  // If the file has mistakes, its allowRemote is unknown: report those alone.
  if (issues.length === 0 && !allowRemote && tls === null && !isLoopback(host))
    mistakes.push(remoteRefused(values.get('listen.host') as Sourced<string>));
  mistakes.push(...fileIssues(settings).map((issue) => `${path}: ${issue}`));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const isOverridden = overriding.layer.has('dataDir');
  const isOwn = scope.kind === 'user' && settings.dataDir === undefined;
  const project = scope.kind === 'project' ? scope.folder : isOwn ? dataDir : null;
  const dataDirTrust = { project: isOverridden ? null : project, dataHome };
  if (dataDirTrust.project !== null) await refuseForeignDataDir(dataDir, dataDirTrust.project, dataHome);

  const lockFile = lockFileOf({ file: path, scope, dataDir });
  const { installed } = await readInstalled({ lockFile });
  // Callers in any folder share the user's own daemon, so it has the skills of none.
  const around = scope.kind === 'user' ? [home] : [...new Set([folder, home])];
  const roots = await skillRoots(settings, `file:${path}`, around.flatMap(agentSkillFolders));
  const skills = roots.map(({ value }) => value);
  const hostIssues = hostGrantIssues(settings.grants, {
    installed,
    uid: sources.uid,
    own: path === undefined ? [dataDir] : [path, dataDir],
    roots: skills,
  });
  if (hostIssues.length > 0) throw new ConfigError(hostIssues.map((issue) => `${path}: ${issue}`));
  const general = generalConfig(settings);
  const config: Config = {
    ...general,
    file: path,
    scope,
    userFile: userConfigFile(sources),
    dataDir,
    dataDirTrust,
    skills,
    lockFile,
    installed,
  };
  if (settings.daemon !== undefined) config.daemon = settings.daemon;
  const published = config.cluster === null ? undefined : await sources.readPolicy(dataDir);
  const inForce = published === undefined ? config : withPolicy(config, published);
  return { config: inForce, entries: configEntries(keys, inForce, values, roots) };
}

/** The daemon that a command calls, and the file with the key for it. Only variables and flags name them, never a file. */
function namedDaemonKeys({ cwd, home }: ConfigSources) {
  return section(
    z.strictObject({
      url: DaemonUrl.optional().meta({ env: 'AMBIT_URL', flag: '--url' }),
      keyFile: anchoredPath(cwd, home).optional().meta({ env: 'AMBIT_KEY_FILE', flag: '--key-file' }),
    }),
  );
}

const noDataDir =
  'dataDir: this folder is in no project, and this user has no home folder for a data directory; name one with --data-dir';

function remoteRefused({ value: host, origin }: Sourced<string>): string {
  return (
    `listen.host (${origin}): other machines can reach ${host} over plain HTTP, which exposes the key to anyone who ` +
    'sees the traffic. Use TLS: listen.tls: { cert, key }; or listen on 127.0.0.1 behind a TLS proxy; ' +
    'or allow it: listen.allowRemote: true, or --allow-remote'
  );
}
