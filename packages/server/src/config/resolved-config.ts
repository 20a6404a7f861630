import { isIPv4 } from 'node:net';
import { lockFileOf } from '../lock/lock-file.ts';
import { defaultDataDir, refuseForeignDataDir } from '../trust/found-data-dir.ts';
import type { Config, ConfigSources, Origin, PolicySections, Sourced } from './config.ts';
import { ConfigError } from './config-error.ts';
import { defaults } from './defaults.ts';
import type { ConfigFile } from './file/config-file.ts';
import { workspaceDefaultsFor } from './file/workspace-keys.ts';
import { fileLayer } from './file-layer.ts';
import { hostGrantIssues } from './host-grants.ts';
import { limitIssues } from './limit-issues.ts';
import { readNamedDaemon } from './named-daemon.ts';
import { type Overrides, readEnvironment, readFlags } from './overrides.ts';
import { readInstalled } from './read-installed.ts';
import { skillRoots } from './skill-roots.ts';

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
    host: choose('host', content.listen?.host, defaults.listen.host),
    port: choose('port', content.listen?.port, defaults.listen.port),
    allowRemote: sources.flags.allowRemote
      ? { value: true, origin: 'flag:--allow-remote' as const }
      : fromFile(content.listen?.allowRemote, defaults.listen.allowRemote),
    names: fromFile(content.listen?.names, defaults.listen.names),
    tls: fromFile(content.listen?.tls, defaults.listen.tls),
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
  const memoryShareBytes = content.limits?.memoryShareBytes ?? defaults.memoryShareBytes;
  mistakes.push(...limitIssues(content, { memoryShareBytes }).map((issue) => `${path}: ${issue}`));
  const password = content.store?.postgres?.password;
  if (password !== undefined && !Object.hasOwn(content.secrets ?? {}, password))
    mistakes.push(`${path}: store.postgres.password: secrets has no ${password}; add its source there`);
  if (content.cluster !== undefined && content.store?.postgres === undefined)
    mistakes.push(
      `${path}: cluster: the nodes of a cluster share a database; name it in store: { postgres: { url } }`,
    );
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const project = isNamed || /^(flag|env):/.test(dataDir.origin) ? null : folder;
  if (project !== null) await refuseForeignDataDir(dataDir.value, project, dataHome);

  const lockFile = lockFileOf({ file: path, project, dataDir: dataDir.value });
  const { installed } = await readInstalled({ lockFile });
  const skills = await skillRoots(content, fileOrigin, { project: folder, home: sources.home });
  const hostIssues = hostGrantIssues(content.grants, {
    installed,
    uid: sources.uid,
    own: path === undefined ? [dataDir.value] : [path, dataDir.value],
    roots: skills.map(({ value }) => value),
  });
  if (hostIssues.length > 0) throw new ConfigError(hostIssues.map((issue) => `${path}: ${issue}`));
  const granted = splitGrants(content.grants);
  const workspaces = workspaceDefaultsFor(content.workspaces);
  const own = {
    grants: fromFile(granted.grants, defaults.grants),
    deny: fromFile(content.deny, defaults.deny),
    limits: fromFile(perCall(content.limits), defaults.limits),
    tiers: fromFile(content.tiers, defaults.tiers),
    untrustedTools: fromFile(content.mcp?.untrustedTools, defaults.mcp.untrustedTools),
  };
  const published = content.cluster === undefined ? undefined : await sources.readPolicy(dataDir.value);
  const policy = published?.sections == null ? own : publishedValues(published.revision, published.sections);
  return {
    file: path,
    listen,
    dataDir,
    dataDirTrust: { project, dataHome },
    skills,
    ...(published && {
      clusterPolicy: {
        revision: published.revision,
        own: published.sections && {
          grants: own.grants.value,
          deny: own.deny.value,
          limits: own.limits.value,
          tiers: own.tiers.value,
          mcp: { untrustedTools: own.untrustedTools.value },
        },
      },
    }),
    grants: policy.grants,
    mcpServers: fromFile(granted.mcpServers, defaults.mcpServers),
    hostUsers: fromFile(granted.hostUsers, defaults.hostUsers),
    deny: policy.deny,
    secrets: fromFile(content.secrets, defaults.secrets),
    phases: fromFile(content.phases, defaults.phases),
    agents: fromFile(content.agents, defaults.agents),
    contextRoots: fromFile(content.contextRoots, defaults.contextRoots),
    index: {
      paths: fromFile(content.index?.paths, defaults.index.paths),
      maxLines: fromFile(content.index?.maxLines, defaults.index.maxLines),
    },
    imports: {
      network: fromFile(content.imports?.network, defaults.imports.network),
      timeoutMs: fromFile(content.imports?.timeoutMs, defaults.imports.timeoutMs),
    },
    installs: {
      network: fromFile(content.installs?.network, defaults.installs.network),
      updates: fromFile(content.installs?.updates, defaults.installs.updates),
      minAgeHours: fromFile(content.installs?.minAgeHours, defaults.installs.minAgeHours),
      whileWaiting: fromFile(content.installs?.whileWaiting, defaults.installs.whileWaiting),
      dependencies: fromFile(content.installs?.dependencies, defaults.installs.dependencies),
    },
    publishers: fromFile(content.publishers, defaults.publishers),
    lockFile,
    installed,
    limits: policy.limits,
    tiers: policy.tiers,
    memoryShareBytes: fromFile(content.limits?.memoryShareBytes, defaults.memoryShareBytes),
    queue: {
      concurrency: fromFile(content.limits?.concurrency, defaults.queue.concurrency),
      concurrencyPerSkill: fromFile(content.limits?.concurrencyPerSkill, defaults.queue.concurrencyPerSkill),
      queue: fromFile(content.limits?.queue, defaults.queue.queue),
    },
    wasmHosts: fromFile(content.limits?.wasmHosts, defaults.wasmHosts),
    prewarm: fromFile(content.limits?.prewarm, defaults.prewarm),
    maxPrewarmSeconds: fromFile(content.limits?.maxPrewarmSeconds, defaults.maxPrewarmSeconds),
    mcp: { untrustedTools: policy.untrustedTools },
    console: fromFile(content.console, defaults.console),
    audit: {
      payloads: fromFile(content.audit?.payloads, defaults.audit.payloads),
      skills: fromFile(content.audit?.skills, defaults.audit.skills),
      previewCharacters: fromFile(content.audit?.previewCharacters, defaults.audit.previewCharacters),
      fullBytes: fromFile(content.audit?.fullBytes, defaults.audit.fullBytes),
      retentionDays: fromFile(content.audit?.retentionDays, defaults.audit.retentionDays),
      retentionBytes: fromFile(content.audit?.retentionBytes, defaults.audit.retentionBytes),
      prune: fromFile(content.audit?.prune, defaults.audit.prune),
      checkpoints: fromFile(content.audit?.checkpoints, defaults.audit.checkpoints),
      warnFreeBytes: fromFile(content.audit?.warnFreeBytes, defaults.audit.warnFreeBytes),
      minFreeBytes: fromFile(content.audit?.minFreeBytes, defaults.audit.minFreeBytes),
      reserveBytes: fromFile(content.audit?.reserveBytes, defaults.audit.reserveBytes),
    },
    idempotency: {
      retentionHours: fromFile(content.idempotency?.retentionHours, defaults.idempotency.retentionHours),
      rerunInterrupted: fromFile(
        content.idempotency?.rerunInterrupted,
        defaults.idempotency.rerunInterrupted,
      ),
    },
    store: { postgres: fromFile(content.store?.postgres ?? undefined, defaults.store.postgres) },
    cluster: fromFile(content.cluster, defaults.cluster),
    workspaces: {
      maxPerKey: fromFile(content.workspaces?.maxPerKey, workspaces.maxPerKey),
      quotaBytes: fromFile(content.workspaces?.quotaBytes, workspaces.quotaBytes),
      maxQuotaBytes: fromFile(content.workspaces?.maxQuotaBytes, workspaces.maxQuotaBytes),
      maxTotalBytes: fromFile(content.workspaces?.maxTotalBytes, workspaces.maxTotalBytes),
      maxFiles: fromFile(content.workspaces?.maxFiles, workspaces.maxFiles),
      expiresAfterSeconds: fromFile(content.workspaces?.expiresAfterSeconds, workspaces.expiresAfterSeconds),
      maxExpiresAfterSeconds: fromFile(
        content.workspaces?.maxExpiresAfterSeconds,
        workspaces.maxExpiresAfterSeconds,
      ),
    },
    logLevel: choose('logLevel', content.logLevel, defaults.logLevel),
    telemetry: {
      otlpEndpoint: fromFile(content.telemetry?.otlpEndpoint, defaults.telemetry.otlpEndpoint),
    },
    bodyLimitBytes: fromFile(content.bodyLimitBytes, defaults.bodyLimitBytes),
    shutdown: { drainMs: fromFile(content.shutdown?.drainMs, defaults.shutdown.drainMs) },
    watchConfig: fromFile(content.watchConfig, defaults.watchConfig),
  };
}

function publishedValues(revision: number, { grants, deny, limits, tiers, mcp }: PolicySections) {
  const origin: Origin = `cluster policy, revision ${revision}`;
  return {
    grants: { value: grants, origin },
    deny: { value: deny, origin },
    limits: { value: limits, origin },
    tiers: { value: tiers, origin },
    untrustedTools: { value: mcp.untrustedTools, origin },
  };
}

/** The limits of a single call; `undefined` if the file sets none. */
function perCall(limits: ConfigFile['limits']): Config['limits'] | undefined {
  const {
    memoryShareBytes: _share,
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
function splitGrants(
  granted: ConfigFile['grants'],
): Partial<Pick<Config, 'grants' | 'mcpServers' | 'hostUsers'>> {
  if (granted === undefined) return {};
  const skills = Object.entries(granted);
  return {
    grants: Object.fromEntries(
      skills.map(([id, { mcpServers: _, user: __, ...capabilities }]) => [id, capabilities]),
    ),
    hostUsers: Object.fromEntries(
      skills.flatMap(([id, { user }]) => (user === undefined ? [] : [[id, user]])),
    ),
    mcpServers: Object.fromEntries(
      skills.flatMap(([id, { mcpServers }]) =>
        Object.keys(mcpServers).length === 0 ? [] : [[id, mcpServers]],
      ),
    ),
  };
}
