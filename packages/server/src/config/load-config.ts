import { tiersWith } from '@ambit/core/policy';
import type { Config, ConfigEntry, ConfigSources, Sourced } from './config.ts';
import { namedDaemonEntries, readNamedDaemon } from './named-daemon.ts';
import { resolvedConfig } from './resolved-config.ts';

/**
 * Loads the configuration: defaults, overridden by the file, by `AMBIT_*` and by the flags.
 *
 * Rejects with a `ConfigError` that lists every mistake, or with an `UntrustedError` for a found file or data directory that
 * is not trusted.
 */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  return configOf(await resolvedConfig(sources), sources);
}

/** Loads the configuration, and keeps the origin of each value of what it has loaded. */
export interface ConfigLoader {
  /** Rejects like `loadConfig`. */
  load(sources: ConfigSources): Promise<Config>;
  /** The values of a configuration that it has loaded, with their origins. */
  valuesOf(config: Config): readonly ConfigEntry[] | undefined;
}

/** See `ConfigLoader`. */
export function configLoader(): ConfigLoader {
  const values = new WeakMap<Config, readonly ConfigEntry[]>();
  return {
    async load(sources) {
      const resolved = await resolvedConfig(sources);
      const config = configOf(resolved, sources);
      values.set(config, entriesOf(resolved, sources));
      return config;
    },
    valuesOf: (config) => values.get(config),
  };
}

type ResolvedConfig = Awaited<ReturnType<typeof resolvedConfig>>;

function configOf(resolved: ResolvedConfig, sources: ConfigSources): Config {
  const {
    file,
    dataDirTrust,
    lockFile,
    installed,
    clusterPolicy,
    listen,
    skills,
    index,
    imports,
    installs,
    queue,
    mcp,
    audit,
    idempotency,
    store,
    workspaces,
    telemetry,
    shutdown,
    ...rest
  } = resolved;
  const { daemon } = readNamedDaemon(sources);
  return {
    file,
    dataDirTrust,
    lockFile,
    installed,
    listen: valuesOf(listen),
    skills: skills.map(({ value }) => value),
    index: valuesOf(index),
    imports: valuesOf(imports),
    installs: valuesOf(installs),
    queue: valuesOf(queue),
    mcp: valuesOf(mcp),
    audit: valuesOf(audit),
    idempotency: valuesOf(idempotency),
    store: valuesOf(store),
    workspaces: valuesOf(workspaces),
    telemetry: valuesOf(telemetry),
    shutdown: valuesOf(shutdown),
    ...valuesOf(rest),
    ...(clusterPolicy && { clusterPolicy }),
    ...(daemon && { daemon }),
  };
}

/** Lists every value of the configuration with its origin. Rejects like `loadConfig`. */
export async function configWithOrigins(sources: ConfigSources): Promise<ConfigEntry[]> {
  return entriesOf(await resolvedConfig(sources), sources);
}

function entriesOf(config: ResolvedConfig, sources: ConfigSources): ConfigEntry[] {
  const within = (group: string, values: Record<string, Sourced<unknown>>): ConfigEntry[] =>
    Object.entries(values).map(([key, sourced]) => ({ key: `${group}.${key}`, ...sourced }));
  const {
    dataDir,
    deny,
    console,
    logLevel,
    bodyLimitBytes,
    watchConfig,
    memoryShareBytes,
    wasmHosts,
    prewarm,
    maxPrewarmSeconds,
  } = config;
  return [
    ...within('listen', config.listen),
    { key: 'dataDir', ...dataDir },
    ...config.skills.map((root, index) => ({ key: `skills.${index}`, ...root })),
    ...each('grants', config.grants),
    ...each('grants', config.mcpServers).map((entry) => ({ ...entry, key: `${entry.key}.mcpServers` })),
    ...each('grants', config.hostUsers).map((entry) => ({ ...entry, key: `${entry.key}.user` })),
    { key: 'deny', ...deny },
    ...each('secrets', config.secrets),
    ...each('phases', config.phases),
    ...each('agents', config.agents),
    { key: 'contextRoots', ...config.contextRoots },
    ...within('index', config.index),
    ...within('imports', config.imports),
    ...within('installs', config.installs),
    { key: 'publishers', ...config.publishers },
    ...Object.entries(config.installed).map(([id, value]) => ({
      key: `installed.${id}`,
      value,
      origin: `file:${config.lockFile}` as const,
    })),
    ...each('limits', config.limits),
    ...tierEntries(config.tiers),
    ...within('limits', { memoryShareBytes, ...config.queue, wasmHosts, prewarm, maxPrewarmSeconds }),
    ...within('mcp', config.mcp),
    { key: 'console', ...console },
    ...within('audit', config.audit),
    ...within('idempotency', config.idempotency),
    ...within('store', config.store),
    { key: 'cluster', ...config.cluster },
    ...within('workspaces', config.workspaces),
    { key: 'logLevel', ...logLevel },
    ...within('telemetry', config.telemetry),
    { key: 'bodyLimitBytes', ...bodyLimitBytes },
    ...within('shutdown', config.shutdown),
    { key: 'watchConfig', ...watchConfig },
    ...namedDaemonEntries(readNamedDaemon(sources)),
  ];
}

/** The limits of programs in force, with the defaults of limits that the file leaves out. */
function tierEntries({ value, origin }: Sourced<Config['tiers']>): ConfigEntry[] {
  return (['local', 'verified'] as const).flatMap((tier) => {
    const { fuel: _, ...normal } = tiersWith(value)[tier].limits.process.default;
    return (Object.keys(normal) as (keyof typeof normal)[]).map((limit) => ({
      key: `tiers.${tier}.${limit}`,
      value: { default: normal[limit], max: tiersWith(value)[tier].limits.process.max[limit] },
      origin: value[tier]?.[limit] === undefined ? 'default' : origin,
    }));
  });
}

function valuesOf<T extends object>(sourced: { [K in keyof T]: Sourced<T[K]> }): T {
  return Object.fromEntries(
    Object.entries<Sourced<unknown>>(sourced).map(([key, { value }]) => [key, value]),
  ) as T;
}

function each(key: string, { value, origin }: Sourced<object>): ConfigEntry[] {
  return Object.entries(value).map(([name, inner]) => ({ key: `${key}.${name}`, value: inner, origin }));
}
