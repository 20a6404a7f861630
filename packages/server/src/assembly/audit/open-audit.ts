import { setTimeout as delay } from 'node:timers/promises';
import type { AuditReader } from '@ambit/core/audit';
import type { Environment } from '@ambit/runtime';
import { readAuditLog } from '../../audit/index/read-audit-log.ts';
import type { AuditSource } from '../../cli/actions/actions.ts';
import { daemonAudit } from '../../cli/daemon/daemon-audit.ts';
import type { Config } from '../../config/config.ts';
import { dataFiles } from '../data-dir.ts';
import { daemonAccess } from '../runner/daemon-access.ts';

/**
 * The log of the daemon that was named, or that has the data directory, which keeps the index; or read from the disk where
 * there is none. Rejects with `AUDIT_UNAVAILABLE` where there is no log.
 */
export async function openAudit(config: Config, environment: Environment): Promise<AuditSource> {
  const access = await daemonAccess(config, environment);
  if (access !== undefined && access !== 'starting') return daemonAudit(access);
  const { events, ...reader } = await readAuditLog({ file: dataFiles(config).audit });
  return { ...reader, follow: (signal) => polled({ ...reader, events }, signal) };
}

const pollMs = 500;
const eventsInOneGo = 500;

/** Nobody says when something is written: who writes is another process, if there is one. */
async function* polled(log: AuditReader, signal: AbortSignal): ReturnType<AuditSource['follow']> {
  const { records } = await log.query({ limit: 1 });
  let next = records[0]?.sequence ?? 1;
  let isNew = false;
  while (!signal.aborted) {
    const events = await log.events(next, eventsInOneGo);
    if (isNew) yield* events;
    next = (events.at(-1)?.sequence ?? next - 1) + 1;
    if (events.length === eventsInOneGo) continue;
    isNew = true;
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
}
