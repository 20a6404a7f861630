import { join } from 'node:path';
import type { CallDenied, CallEvent, CallFinished, CallStarted } from '@ambit/core/audit';
import { usedNothing } from '@ambit/core/outcome';
import { noCapabilities } from '@ambit/core/policy';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { type OpenAuditLog, openAuditLog } from '../open-audit-log.ts';

/** Opens a log, which is closed when the test ends. */
export async function opened(file: string): Promise<OpenAuditLog> {
  const log = await openAuditLog({ file });
  onTestFinished(() => log.close());
  return log;
}

/** An empty log in a folder of its own. Both are gone when the test ends. */
export async function openLog(): Promise<{ log: OpenAuditLog; file: string; folder: string }> {
  const folder = await temporaryFolder();
  const file = join(folder, 'audit.db');
  return { log: await opened(file), file, folder };
}

/** An event that begins and ends a record. */
export function rejection(
  executionId: string,
  message = 'no key',
): Extract<CallEvent, { kind: 'auth.rejected' | 'request.denied' }> {
  return {
    kind: 'auth.rejected',
    executionId,
    time: 1000,
    via: 'http',
    actor: null,
    code: 'UNAUTHENTICATED',
    message,
    request: 'GET /skills',
  };
}

/** An event that begins a record and leaves it open. */
export function beginning(executionId: string): CallEvent {
  return started(executionId, { skill: { id: 'csv-profile' }, input: { digest: 'sha256:i', bytes: 2 } });
}

/** An event that ends a record. */
export function ending(executionId: string, message = 'no'): CallDenied {
  return { kind: 'call.denied', executionId, time: 2000, code: 'CAPABILITY_DENIED', message, denied: [] };
}

/** The beginning of a call of a known skill. */
export function started(executionId: string, more: Partial<CallStarted> = {}): CallStarted {
  return {
    kind: 'call.started',
    executionId,
    time: 1000,
    via: 'http',
    actor: 'key',
    policyDigest: 'sha256:p',
    skill: { id: 's', version: null, digest: 'sha256:d', tier: 'local' },
    requested: noCapabilities,
    input: { digest: 'sha256:i', bytes: 1 },
    ...more,
  };
}

/** The end of a call that ran. */
export function finished(executionId: string, more: Partial<CallFinished> = {}): CallFinished {
  return {
    kind: 'call.finished',
    executionId,
    time: 2000,
    granted: noCapabilities,
    sandbox: 'none',
    limits: {
      timeoutMs: 1,
      memoryBytes: 2,
      cpuMs: 3,
      processes: 4,
      outputBytes: 5,
      fileBytes: 6,
      fuel: null,
    },
    outcome: 'succeeded',
    failure: null,
    output: null,
    denied: [],
    usage: usage(1),
    used: usedNothing,
    ...more,
  };
}

/** Returns the usage of a run without other measurements. */
export function usage(durationMs: number): CallFinished['usage'] {
  return { durationMs, queueMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null };
}
