import { setTimeout as delay } from 'node:timers/promises';
import type { AuditReader } from '@ambit/core/audit';
import type { Environment } from '@ambit/runtime';
import { readAuditLog } from '../audit/index/read-audit-log.ts';
import type { AuditSource } from '../cli/ports/actions.ts';
import { daemonAudit } from '../cli/remote/daemon-audit.ts';
import type { Config } from '../config/config.ts';
import { daemonAccess } from '../runner/daemon-access.ts';
import { auditSource } from '../setup/audit-source.ts';

/**
 * Opens the log of the named daemon or of the one that uses the data directory. Without a daemon, reads the files. Rejects with
 * `AUDIT_UNAVAILABLE` if there is no log.
 */
export async function openAudit(config: Config, environment: Environment): Promise<AuditSource> {
  const access = await daemonAccess(config, environment);
  if (access !== undefined && access !== 'starting') return daemonAudit(access);
  const source = auditSource(config, environment);
  const { events, ...reader } = await readAuditLog(source);
  const follow: AuditSource['follow'] = (signal) => polled({ ...reader, events }, source.node?.name, signal);
  return { ...reader, follow };
}

const pollMs = 500;
const pageEvents = 500;

/** Polls for new events of this log: another process writes them. Records of other nodes have other sequences. */
async function* polled(
  log: AuditReader,
  node: string | undefined,
  signal: AbortSignal,
): ReturnType<AuditSource['follow']> {
  const { records } = await log.query({ limit: node === undefined ? 1 : 200 });
  let next = records.find((record) => record.node === node)?.sequence ?? 1;
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
