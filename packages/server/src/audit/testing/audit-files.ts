import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallEvent, noCapabilities } from '@ambit/core/internal';
import { onTestFinished } from 'vitest';

/** A temporary folder that is removed when the test ends. */
export function temporaryFolder(atEnd: (remove: () => Promise<void>) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-audit-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An event that begins and ends a record. */
export function rejection(executionId: string, message = 'no key'): CallEvent {
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
  return {
    kind: 'call.started',
    executionId,
    time: 1000,
    via: 'http',
    actor: 'key',
    skill: { id: 'csv-profile' },
    policyDigest: 'sha256:p',
    requested: noCapabilities,
    input: { digest: 'sha256:i', bytes: 2 },
  };
}

/** An event that ends a record. */
export function ending(executionId: string, message = 'no'): CallEvent {
  return { kind: 'call.denied', executionId, time: 2000, code: 'CAPABILITY_DENIED', message, denied: [] };
}
