import { isIPv4 } from 'node:net';
import { availableParallelism } from 'node:os';
import { noCapabilities, type QueueLimits } from '@ambit/core/internal';
import { defaultDataDir, refuseForeignDataDir } from '../trust/found-data-dir.ts';
import type { Config, ConfigSources, Origin, Sourced } from './config.ts';
import { ConfigError } from './config-error.ts';
import { auditDefaults } from './file/audit-keys.ts';
import type { ConfigFile } from './file/config-file.ts';
import { workspaceDefaultsFor } from './file/workspace-keys.ts';
import { fileLayer } from './file-layer.ts';
import { readNamedDaemon } from './named-daemon.ts';
import { type Overrides, readEnvironment, readFlags } from './overrides.ts';
import { skillRoots } from './skill-roots.ts';

const defaultPort = 7433;

const defaultQueue: QueueLimits = { concurrency: 16, concurrencyPerSkill: 8, queue: 256 };

/**
 * Takes every value from the highest layer that sets it. Rejects with a `ConfigError` that lists every mistake, or with an
 * `UntrustedError`.
 */
export async function resolvedConfig(sources: ConfigSources) {
  const { path, folder, content, issues, isNamed } = await fileLayer(sources);
  const env = readEnvironment(sources);
  const flags = readFlags(sources);
  const fileOrigin: Origin = `file:${path}`;

  const fromFile = <T>(inFile: T | undefined, fallback: T): Sourced<T> =>
    inFile === undefined ? { value: fallback, origin: 'default' } : { value: inFile, origin: fileOrigin };
  const choose = <K extends keyof Overrides>(
    key: K,
    inFile: Overrides[K] | undefined,
    fallback: Overrides[K],
  ): Sourced<Overrides[K]> => {
    for (const { values, origins } of [flags, env]) {
      const value = values[key];
      if (value !== undefined) return { value, origin: origins[key] };
    }
    return fromFile(inFile, fallback);
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
  const { dataHome } = sources;
  const defaultDir = content.dataDir ?? defaultDataDir(folder, dataHome);
  const dataDir = choose('dataDir', content.dataDir, defaultDir ?? '');
  const mistakes = [...issues, ...env.issues, ...flags.issues, ...readNamedDaemon(sources).issues];
  if (dataDir.value === '') mistakes.push(noDataDir(folder));
  // If the file has mistakes, its allowRemote is unknown: report those alone.
  const mayBeRemote = listen.allowRemote.value || listen.tls.value !== null;
  if (issues.length === 0 && !mayBeRemote && !isLoopback(listen.host.value))
    mistakes.push(remoteRefused(listen.host));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const project = isNamed || /^(flag|env):/.test(dataDir.origin) ? null : folder;
  if (project !== null) await refuseForeignDataDir(dataDir.value, project, dataHome);

  const granted = splitGrants(content.grants);
  const workspaces = workspaceDefaultsFor(content.workspaces);
  return {
    file: path,
    listen,
    dataDir,
    dataDirTrust: { project, dataHome },
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
    maxPrewarmSeconds: fromFile(content.limits?.maxPrewarmSeconds, 300),
    mcp: { untrustedTools: fromFile(content.mcp?.untrustedTools, false) },
    audit: {
      payloads: fromFile(content.audit?.payloads, auditDefaults.payloads),
      skills: fromFile(content.audit?.skills, auditDefaults.skills),
      previewCharacters: fromFile(content.audit?.previewCharacters, auditDefaults.previewCharacters),
      fullBytes: fromFile(content.audit?.fullBytes, auditDefaults.fullBytes),
      retentionDays: fromFile(content.audit?.retentionDays, auditDefaults.retentionDays),
      retentionBytes: fromFile(content.audit?.retentionBytes, auditDefaults.retentionBytes),
      prune: fromFile(content.audit?.prune, auditDefaults.prune),
      checkpoints: fromFile(content.audit?.checkpoints, auditDefaults.checkpoints),
      warnFreeBytes: fromFile(content.audit?.warnFreeBytes, auditDefaults.warnFreeBytes),
      minFreeBytes: fromFile(content.audit?.minFreeBytes, auditDefaults.minFreeBytes),
      reserveBytes: fromFile(content.audit?.reserveBytes, auditDefaults.reserveBytes),
    },
    idempotency: { retentionHours: fromFile(content.idempotency?.retentionHours, 24) },
    workspaces: {
      maxPerKey: fromFile(content.workspaces?.maxPerKey, workspaces.maxPerKey),
      quotaBytes: fromFile(content.workspaces?.quotaBytes, workspaces.quotaBytes),
      maxQuotaBytes: fromFile(content.workspaces?.maxQuotaBytes, workspaces.maxQuotaBytes),
      expiresAfterSeconds: fromFile(content.workspaces?.expiresAfterSeconds, workspaces.expiresAfterSeconds),
      maxExpiresAfterSeconds: fromFile(
        content.workspaces?.maxExpiresAfterSeconds,
        workspaces.maxExpiresAfterSeconds,
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

/** The limits of a single call; `undefined` if the file sets none. */
function perCall(limits: ConfigFile['limits']): Config['limits'] | undefined {
  const {
    concurrency: _running,
    concurrencyPerSkill: _ofOne,
    queue: _waiting,
    wasmHosts: _hosts,
    prewarm: _ready,
    maxPrewarmSeconds: _age,
    ...each
  } = limits ?? {};
  return Object.keys(each).length === 0 ? undefined : each;
}

function noDataDir(folder: string): string {
  return `dataDir: ${folder} is inside a skill folder, where Ambit creates no data directory, and this user has no home folder; name a directory with --data-dir`;
}

/** Whether only this machine can reach the host. Names other than `localhost` may resolve to any address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

function remoteRefused({ value, origin }: Sourced<string>): string {
  return (
    `listen.host (${origin}): other machines can reach ${value} over plain HTTP, which exposes the key to anyone who ` +
    'sees the traffic. Use TLS: listen.tls: { cert, key }; or listen on 127.0.0.1 behind a TLS proxy; ' +
    'or allow it: listen.allowRemote: true, or --allow-remote'
  );
}

/** Separates the grants into the capabilities of calls and the MCP servers. */
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
