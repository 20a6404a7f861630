import { expect, test } from 'vitest';
import { backupText, pruneText } from './audit-retention.ts';

test('prune prints what it removed, and with --dry-run what it would remove', () => {
  const events = { what: 'events', through: 900, hash: 'sha256:9', count: 880 } as const;
  const payloads = { what: 'payloads', through: 1200, hash: 'sha256:1', count: 31 } as const;
  expect([pruneText(events, false), pruneText(payloads, false), pruneText(events, true)]).toEqual([
    'Removed 880 events, up to event 900.',
    'Removed the stored parts of 31 inputs and outputs, up to event 1200.',
    'Would remove 880 events, up to event 900.',
  ]);
});

test('backup prints how to restore it', () => {
  expect(
    backupText({ file: '/work/copy.db', bytes: 4096, sequence: 7, hash: 'sha256:7' }, '/work/.ambit'),
  ).toEqual([
    'Copied the log up to event 7 (sha256:7) to /work/copy.db, 4096 bytes.',
    'To restore it: stop Ambit, remove audit.db, audit.db-wal, audit.db-shm and audit-index.db from /work/.ambit,',
    'copy the file there as audit.db, and start Ambit.',
  ]);
});
