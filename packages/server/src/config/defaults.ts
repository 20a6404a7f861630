import { availableParallelism } from 'node:os';
import { noCapabilities } from '@ambit/core/policy';
import { availableMemoryBytes } from '@ambit/runtime';
import type { Config } from './config.ts';
import { reserveBytesMax } from './file/audit-keys.ts';

/** The default of every key of the configuration file, except for keys that depend on the folder. */
export const defaults: Omit<
  Config,
  'file' | 'dataDir' | 'dataDirTrust' | 'skills' | 'lockFile' | 'installed' | 'daemon' | 'clusterPolicy'
> = {
  listen: { host: '127.0.0.1', port: 7433, allowRemote: false, names: [], tls: null },
  grants: {},
  hostUsers: {},
  deny: noCapabilities,
  mcpServers: {},
  phases: {},
  agents: {},
  contextRoots: [],
  index: { paths: 'absolute', maxLines: null },
  secrets: {},
  imports: { network: [], timeoutMs: 5000 },
  installs: {
    network: [],
    updates: 'ask',
    minAgeHours: 24,
    whileWaiting: 'run',
    dependencies: { python: null, node: null, allowBuild: [], provided: [] },
  },
  publishers: [],
  limits: {},
  tiers: {},
  memoryShareBytes: Math.floor(0.75 * availableMemoryBytes()),
  queue: { concurrency: 16, concurrencyPerSkill: 8, queue: 256 },
  wasmHosts: availableParallelism(),
  prewarm: 8,
  maxPrewarmSeconds: 300,
  mcp: { untrustedTools: false },
  /** Previews of payloads, and no retention limit. */
  audit: {
    payloads: 'preview',
    skills: {},
    previewCharacters: 1000,
    fullBytes: 1024 * 1024,
    retentionDays: null,
    retentionBytes: null,
    prune: 'payloads',
    checkpoints: null,
    warnFreeBytes: 1024 ** 3,
    minFreeBytes: 16 * 1024 ** 2,
    reserveBytes: reserveBytesMax,
  },
  idempotency: { retentionHours: 24, rerunInterrupted: [] },
  store: { postgres: null },
  cluster: null,
  workspaces: {
    maxPerKey: 32,
    quotaBytes: 64 * 1024 * 1024,
    maxQuotaBytes: 1024 ** 3,
    maxTotalBytes: 8 * 1024 ** 3,
    maxFiles: 20_000,
    expiresAfterSeconds: 24 * 60 * 60,
    maxExpiresAfterSeconds: 30 * 24 * 60 * 60,
  },
  logLevel: 'info',
  telemetry: { otlpEndpoint: null },
  bodyLimitBytes: 8 * 1024 * 1024,
  shutdown: { drainMs: 10_000 },
  console: true,
  watchConfig: false,
};
