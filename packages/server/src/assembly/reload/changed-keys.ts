import type { Config } from '../../config/config.ts';

/**
 * What is otherwise in `next`, by its place in the configuration (`grants.git-summary`, `limits.queue`), sorted. Only
 * names, so that it can be told to anybody who may read the log.
 */
export function changedKeys(before: Config, next: Config): string[] {
  const [old, now] = [entries(before), entries(next)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key)).sort();
}

/**
 * Those of the keys that only a start can bring into force: the socket is open, the data directory held, its log
 * opened. A configuration in which one of them is otherwise is not taken at all: what is in force is a file that
 * somebody wrote, never half of one.
 */
export function needingRestart(changed: readonly string[]): string[] {
  return changed.filter((key) => startKeys.has(key));
}

const startKeys: ReadonlySet<string> = new Set([
  ...[
    'dataDir',
    'bodyLimitBytes',
    'listen.host',
    'listen.port',
    'listen.tls',
    'audit.checkpoints',
    'audit.warnFreeBytes',
    'audit.minFreeBytes',
    'audit.reserveBytes',
    'watchConfig',
    'idempotency.keepHours',
    'telemetry.otlpEndpoint',
  ],
]);

/** Keys whose values are many, each of which can change by itself. */
const groups = {
  listen: 'listen',
  grants: 'grants',
  mcpServers: 'mcpServers',
  secrets: 'secrets',
  phases: 'phases',
  agents: 'agents',
  imports: 'imports',
  limits: 'limits',
  // The file has both under one name.
  queue: 'limits',
  mcp: 'mcp',
  audit: 'audit',
  shutdown: 'shutdown',
  idempotency: 'idempotency',
  workspaces: 'workspaces',
  telemetry: 'telemetry',
} as const satisfies Partial<Record<keyof Config, string>>;

function entries(config: Config): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(config)) {
    const group = groups[key as keyof typeof groups] as string | undefined;
    if (group === undefined) found.set(key, JSON.stringify(value));
    else
      for (const [name, inner] of Object.entries(value as object))
        found.set(`${group}.${name}`, JSON.stringify(inner));
  }
  // Its files may be others; whether there is a certificate at all is decided at the start.
  const { tls } = config.listen;
  found.set('listen.tls', String(tls !== null));
  found.set('listen.tls.files', JSON.stringify(tls));
  return found;
}
