import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEvent } from '@ambit/core';
import { onTestFinished } from 'vitest';

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An event that opens a record and ends it. */
export function rejection(executionId: string, message = 'no key'): AuditEvent {
  return {
    kind: 'auth.rejected',
    executionId,
    time: 1000,
    door: 'http',
    actor: null,
    code: 'UNAUTHENTICATED',
    message,
    request: 'GET /skills',
  };
}
