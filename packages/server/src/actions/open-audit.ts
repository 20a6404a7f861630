import { setTimeout as delay } from 'node:timers/promises';
import type { AuditReader } from '@ambit/core/audit';
import type { Environment } from '@ambit/runtime';
import { readAuditLog } from '../audit/index/read-audit-log.ts';
import type { AuditSource } from '../cli/ports/actions.ts';
import { daemonAudit } from '../cli/remote/daemon-audit.ts';
import type { Config } from '../config/config.ts';
import { daemonAccess } from '../runner/daemon-access.ts';
import { postgresSettings } from '../setup/configured-store.ts';
import { dataFiles } from '../setup/data-dir.ts';

/**
 * Opens the log of the named daemon or of the one that uses the data directory. Without a daemon, reads the files. Rejects with
 * `AUDIT_UNAVAILABLE` if there is no log.
 */
export async function openAudit(config: Config, environment: Environment): Promise<AuditSource> {
  const access = await daemonAccess(config, environment);
  if (access !== undefined && access !== 'starting') return daemonAudit(access);
  const { events, ...reader } = await readAuditLog({
    file: dataFiles(config).audit,
    postgres: postgresSettings(config, environment),
  });
  return { ...reader, follow: (signal) => polled({ ...reader, events }, signal) };
}

const pollMs = 500;
const pageEvents = 500;

/** Polls for new events: another process writes them. */
async function* polled(log: AuditReader, signal: AbortSignal): ReturnType<AuditSource['follow']> {
  const { records } = await log.query({ limit: 1 });
  let next = records[0]?.sequence ?? 1;
  let isNew = false;
  while (!signal.aborted) {
    const events = await log.events(next, pageEvents);
    if (isNew) yield* events;
    next = (events.at(-1)?.sequence ?? next - 1) + 1;
    if (events.length === pageEvents) continue;
    isNew = true;
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
}
