import { availableParallelism } from 'node:os';
import { noCapabilities, type QueueLimits } from '@ambit/core/internal';
import { refuseForeignDataDir, usualDataDir } from '../trust/found-data-dir.ts';
import { readAskedDaemon } from './asked-daemon.ts';
import type { Config, ConfigSources, Origin, Sourced } from './config.ts';
import { ConfigError } from './config-error.ts';
import { auditDefaults } from './file/audit-keys.ts';
import type { ConfigFile } from './file/config-file.ts';
import { workspaceDefaultsFor } from './file/workspace-keys.ts';
import { fileLayer } from './file-layer.ts';
import { isLoopback } from './loopback.ts';
import { type Overrides, readEnvironment, readFlags } from './overrides.ts';
import { skillRoots } from './skill-roots.ts';

const defaultPort = 7433;

const defaultQueue: QueueLimits = { concurrency: 16, concurrencyPerSkill: 8, queue: 256 };

/**
 * Every value from the highest layer that has one. Rejects with a `ConfigError` that holds every mistake of every layer, and
 * with an `UntrustedError`.
 */
export async function resolvedConfig(sources: ConfigSources) {
  const { path, folder, content, issues, isNamed } = await fileLayer(sources);
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
  const { dataHome } = sources;
  const usual = content.dataDir ?? usualDataDir(folder, dataHome);
  const dataDir = choose('dataDir', content.dataDir, usual ?? '');
  const mistakes = [...issues, ...env.issues, ...flags.issues, ...readAskedDaemon(sources).issues];
  if (dataDir.value === '') mistakes.push(noDataDir(folder));
  // A file with mistakes has said nothing, not even that it means to be reached from elsewhere.
  const mayBeRemote = listen.allowRemote.value || listen.tls.value !== null;
  if (issues.length === 0 && !mayBeRemote && !isLoopback(listen.host.value))
    mistakes.push(remoteRefused(listen.host));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const project = isNamed || /^(flag|env):/.test(dataDir.origin) ? null : folder;
  if (project !== null) await refuseForeignDataDir(dataDir.value, project, dataHome);

  const granted = splitGrants(content.grants);
  const spaces = workspaceDefaultsFor(content.workspaces);
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
    idempotency: { keepHours: fromFile(content.idempotency?.keepHours, 24) },
    workspaces: {
      most: fromFile(content.workspaces?.most, spaces.most),
      quotaBytes: fromFile(content.workspaces?.quotaBytes, spaces.quotaBytes),
      maxQuotaBytes: fromFile(content.workspaces?.maxQuotaBytes, spaces.maxQuotaBytes),
      expiresAfterSeconds: fromFile(content.workspaces?.expiresAfterSeconds, spaces.expiresAfterSeconds),
      maxExpiresAfterSeconds: fromFile(
        content.workspaces?.maxExpiresAfterSeconds,
        spaces.maxExpiresAfterSeconds,
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
    maxPrewarmSeconds: _age,
    ...each
  } = limits ?? {};
  return Object.keys(each).length === 0 ? undefined : each;
}

function noDataDir(folder: string): string {
  return `dataDir: ${folder} is in a skill's folder, where Ambit creates no data directory, and this user has no home folder; name a directory with --data-dir`;
}

function remoteRefused({ value, origin }: Sourced<string>): string {
  return (
    `listen.host (${origin}): ${value} can be reached from other machines, over plain HTTP: whoever sees the traffic ` +
    'has the key, and with it every skill that may run here. Give it a certificate: listen.tls: { cert, key }; ' +
    'or listen on 127.0.0.1 behind a proxy that speaks TLS; or say that you mean it: listen.allowRemote: true, or --allow-remote'
  );
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
