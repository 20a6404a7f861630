import { realpath } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { noCapabilities, type QueueLimits } from '@ambit/core';
import { discoveredPlaces, type SkillRoot } from '@ambit/runtime';
import { askedEntries, readAskedDaemon } from './asked-daemon.ts';
import { auditDefaults } from './audit-keys.ts';
import { bundledSkills } from './bundled-skills.ts';
import type { Config, ConfigEntry, ConfigSources, Origin } from './config.ts';
import { ConfigError } from './config-error.ts';
import { type ConfigFile, configFileName, readConfigFile } from './config-file.ts';
import { withHome } from './home-path.ts';
import { isLoopback } from './loopback.ts';
import { type Overrides, readEnvironment, readFlags } from './overrides.ts';
import { workspaceDefaultsFor } from './workspace-keys.ts';

/**
 * The configuration in force: defaults, over them the file, over it `AMBIT_*`, over those the flags.
 *
 * Rejects with a `ConfigError` that holds every mistake of every layer.
 */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const {
    file,
    listen,
    skills,
    imports,
    queue,
    audit,
    idempotency,
    workspaces,
    telemetry,
    shutdown,
    ...rest
  } = await resolved(sources);
  const { daemon } = readAskedDaemon(sources);
  return {
    file,
    listen: valuesOf(listen),
    skills: skills.map(({ value }) => value),
    imports: valuesOf(imports),
    queue: valuesOf(queue),
    audit: valuesOf(audit),
    idempotency: valuesOf(idempotency),
    workspaces: valuesOf(workspaces),
    telemetry: valuesOf(telemetry),
    shutdown: valuesOf(shutdown),
    ...valuesOf(rest),
    ...(daemon && { daemon }),
  };
}

/** The same, as a list of every value with its origin. Rejects alike. */
export async function configWithOrigins(sources: ConfigSources): Promise<ConfigEntry[]> {
  const config = await resolved(sources);
  const within = (group: string, values: Record<string, Sourced<unknown>>): ConfigEntry[] =>
    Object.entries(values).map(([key, sourced]) => ({ key: `${group}.${key}`, ...sourced }));
  const { dataDir, deny, logLevel, bodyLimitBytes, watchConfig, wasmHosts, prewarm } = config;
  return [
    ...within('listen', config.listen),
    { key: 'dataDir', ...dataDir },
    ...config.skills.map((root, index) => ({ key: `skills.${index}`, ...root })),
    ...each('grants', config.grants),
    ...each('grants', config.mcpServers).map((entry) => ({ ...entry, key: `${entry.key}.mcpServers` })),
    { key: 'deny', ...deny },
    ...each('secrets', config.secrets),
    ...each('phases', config.phases),
    ...each('agents', config.agents),
    { key: 'contextRoots', ...config.contextRoots },
    ...within('imports', config.imports),
    ...each('limits', config.limits),
    ...within('limits', { ...config.queue, wasmHosts, prewarm }),
    ...within('audit', config.audit),
    ...within('idempotency', config.idempotency),
    ...within('workspaces', config.workspaces),
    { key: 'logLevel', ...logLevel },
    ...within('telemetry', config.telemetry),
    { key: 'bodyLimitBytes', ...bodyLimitBytes },
    ...within('shutdown', config.shutdown),
    { key: 'watchConfig', ...watchConfig },
    ...askedEntries(readAskedDaemon(sources)),
  ];
}

const defaultPort = 7433;

const defaultQueue: QueueLimits = { concurrency: 16, concurrencyPerSkill: 8, queue: 256 };

interface Sourced<T> {
  value: T;
  origin: Origin;
}

async function resolved(sources: ConfigSources) {
  const { path, folder, content, issues } = await fileLayer(sources);
  const env = readEnvironment(sources);
  const flags = readFlags(sources);
  const fileOrigin: Origin = `file:${path}`;

  const fromFile = <T>(inFile: T | undefined, otherwise: T): Sourced<T> =>
    inFile === undefined ? { value: otherwise, origin: 'default' } : { value: inFile, origin: fileOrigin };
  /** The value of the highest layer that has one. */
  const choose = <K extends keyof Overrides>(
    key: K,
    inFile: Overrides[K] | undefined,
    otherwise: Overrides[K],
  ): Sourced<Overrides[K]> => {
    for (const { values, origins } of [flags, env]) {
      const value = values[key];
      if (value !== undefined) return { value, origin: origins[key] };
    }
    return fromFile(inFile, otherwise);
  };

  const listen = {
    host: choose('host', content.listen?.host, '127.0.0.1'),
    port: choose('port', content.listen?.port, defaultPort),
    allowRemote: sources.flags.allowRemote
      ? { value: true, origin: 'flag:--allow-remote' as const }
      : fromFile(content.listen?.allowRemote, false),
    names: fromFile(content.listen?.names, []),
    tls: fromFile<Config['listen']['tls']>(content.listen?.tls, null),
  };
  const mistakes = [...issues, ...env.issues, ...flags.issues, ...readAskedDaemon(sources).issues];
  // A file with mistakes has said nothing, not even that it means to be reached from elsewhere.
  const mayBeRemote = listen.allowRemote.value || listen.tls.value !== null;
  if (issues.length === 0 && !mayBeRemote && !isLoopback(listen.host.value))
    mistakes.push(remoteRefused(listen.host));
  if (mistakes.length > 0) throw new ConfigError(mistakes);

  const granted = splitGrants(content.grants);
  const spaces = workspaceDefaultsFor(content.workspaces);
  return {
    file: path,
    listen,
    dataDir: choose('dataDir', content.dataDir, resolve(folder, '.ambit')),
    skills: await skillRoots(content, fileOrigin, { project: folder, home: sources.home }),
    grants: fromFile(granted.grants, {}),
    mcpServers: fromFile(granted.mcpServers, {}),
    deny: fromFile(content.deny, noCapabilities),
    secrets: fromFile(content.secrets, {}),
    phases: fromFile<Config['phases']>(content.phases, {}),
    agents: fromFile<Config['agents']>(content.agents, {}),
    contextRoots: fromFile<Config['contextRoots']>(content.contextRoots, []),
    imports: {
      network: fromFile<Config['imports']['network']>(content.imports?.network, []),
      timeoutMs: fromFile(content.imports?.timeoutMs, 5000),
    },
    limits: fromFile(perCall(content.limits), {}),
    queue: {
      concurrency: fromFile(content.limits?.concurrency, defaultQueue.concurrency),
      concurrencyPerSkill: fromFile(content.limits?.concurrencyPerSkill, defaultQueue.concurrencyPerSkill),
      queue: fromFile(content.limits?.queue, defaultQueue.queue),
    },
    wasmHosts: fromFile(content.limits?.wasmHosts, availableParallelism()),
    prewarm: fromFile(content.limits?.prewarm, 8),
    audit: {
      payloads: fromFile(content.audit?.payloads, auditDefaults.payloads),
      skills: fromFile(content.audit?.skills, auditDefaults.skills),
      previewCharacters: fromFile(content.audit?.previewCharacters, auditDefaults.previewCharacters),
      fullBytes: fromFile(content.audit?.fullBytes, auditDefaults.fullBytes),
      retentionDays: fromFile(content.audit?.retentionDays, auditDefaults.retentionDays),
      retentionBytes: fromFile(content.audit?.retentionBytes, auditDefaults.retentionBytes),
      prune: fromFile(content.audit?.prune, auditDefaults.prune),
      checkpoints: fromFile(content.audit?.checkpoints, auditDefaults.checkpoints),
    },
    idempotency: { keepHours: fromFile(content.idempotency?.keepHours, 24) },
    workspaces: {
      most: fromFile(content.workspaces?.most, spaces.most),
      quotaBytes: fromFile(content.workspaces?.quotaBytes, spaces.quotaBytes),
      quotaBytesMost: fromFile(content.workspaces?.quotaBytesMost, spaces.quotaBytesMost),
      expiresAfterSeconds: fromFile(content.workspaces?.expiresAfterSeconds, spaces.expiresAfterSeconds),
      expiresAfterSecondsMost: fromFile(
        content.workspaces?.expiresAfterSecondsMost,
        spaces.expiresAfterSecondsMost,
      ),
    },
    logLevel: choose('logLevel', content.logLevel, 'info'),
    telemetry: {
      otlpEndpoint: fromFile<Config['telemetry']['otlpEndpoint']>(content.telemetry?.otlpEndpoint, null),
    },
    bodyLimitBytes: fromFile(content.bodyLimitBytes, 8 * 1024 * 1024),
    shutdown: { drainMs: fromFile(content.shutdown?.drainMs, 10_000) },
    watchConfig: fromFile(content.watchConfig, false),
  };
}

/** What of the file's limits bounds a single call; absent when nothing does. */
function perCall(limits: ConfigFile['limits']): Config['limits'] | undefined {
  const {
    concurrency: _running,
    concurrencyPerSkill: _ofOne,
    queue: _waiting,
    wasmHosts: _hosts,
    prewarm: _ready,
    ...each
  } = limits ?? {};
  return Object.keys(each).length === 0 ? undefined : each;
}

function valuesOf<T extends object>(sourced: { [K in keyof T]: Sourced<T[K]> }): T {
  return Object.fromEntries(
    Object.entries<Sourced<unknown>>(sourced).map(([key, { value }]) => [key, value]),
  ) as T;
}

/** What an operator granted to each skill: what a call may touch, and apart from it the MCP servers of prompts. */
function splitGrants(granted: ConfigFile['grants']): Partial<Pick<Config, 'grants' | 'mcpServers'>> {
  if (granted === undefined) return {};
  const skills = Object.entries(granted);
  return {
    grants: Object.fromEntries(skills.map(([id, { mcpServers: _, ...capabilities }]) => [id, capabilities])),
    mcpServers: Object.fromEntries(
      skills.flatMap(([id, { mcpServers }]) =>
        Object.keys(mcpServers).length === 0 ? [] : [[id, mcpServers]],
      ),
    ),
  };
}

/** The configuration file, if there is one; a file that somebody named has to be there. */
async function fileLayer({ flags, env, cwd, home }: ConfigSources): Promise<{
  path: string | undefined;
  folder: string;
  content: ConfigFile;
  issues: string[];
}> {
  const isFlag = flags.config !== undefined;
  const [named, by] = isFlag ? [flags.config, '--config'] : [env['AMBIT_CONFIG'], 'AMBIT_CONFIG'];
  // As what an unset variable leaves: the file of this folder is not what was meant.
  if (named === '' && isFlag)
    return { path: undefined, folder: cwd, content: {}, issues: [`${by}: write a path`] };
  const path = resolve(cwd, withHome(named || configFileName, home));
  const folder = dirname(path);
  const none = { path: undefined, folder: cwd, content: {} };
  try {
    const read = await readConfigFile(path, { folder, home });
    if (read !== undefined) return { path, folder, ...read };
    return { ...none, issues: named ? [`${by}: there is no file ${path}`] : [] };
  } catch (error) {
    return { ...none, issues: [`${path}: cannot be read: ${(error as Error).message}`] };
  }
}

function remoteRefused({ value, origin }: Sourced<string>): string {
  return (
    `listen.host (${origin}): ${value} can be reached from other machines, over plain HTTP: whoever sees the traffic ` +
    'has the key, and with it every skill that may run here. Give it a certificate: listen.tls: { cert, key }; ' +
    'or listen on 127.0.0.1 behind a proxy that speaks TLS; or say that you mean it: listen.allowRemote: true, or --allow-remote'
  );
}

/** The file's own, the bundled ones where they are not among those, and the places that people keep skills in. */
async function skillRoots(
  content: ConfigFile,
  origin: Origin,
  { project, home }: { project: string; home: string },
): Promise<Sourced<SkillRoot>[]> {
  const own = (content.skills ?? []).map((value) => ({ value, origin }));
  const others: SkillRoot[] = [
    ...(content.bundledSkills === false ? [] : [{ path: bundledSkills, tier: 'local' as const }]),
    ...(content.discoveredSkills === false ? [] : discoveredPlaces({ project, home })),
  ];
  const named = await Promise.all(own.map(({ value }) => place(value.path)));
  const places = await Promise.all(others.map(({ path }) => place(path)));
  const added = others.filter((_, index) => !named.includes(places[index] ?? ''));
  return [...own, ...added.map((value) => ({ value, origin: 'default' as const }))];
}

async function place(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function each(key: string, { value, origin }: Sourced<object>): ConfigEntry[] {
  return Object.entries(value).map(([name, inner]) => ({ key: `${key}.${name}`, value: inner, origin }));
}
