import { expect, test } from 'vitest';
import { plainConfig } from '../../../../server/src/testing/plain-config.ts';
import { runAmbit } from '../../testing/run-ambit.ts';

const events = { what: 'events', through: 900, hash: 'sha256:9', count: 880 } as const;
const payloads = { what: 'payloads', through: 1200, hash: 'sha256:1', count: 31 } as const;

test('prune prints what it removed', async () => {
  const actions = { pruneAudit: async () => [events, payloads] };
  expect(await runAmbit('audit prune', { actions })).toEqual({
    exitCode: 0,
    stdout:
      'Removed 880 events, up to event 900.\nRemoved the stored parts of 31 inputs and outputs, up to event 1200.\n',
    stderr: '',
  });
});

test('prune --dry-run only prints what would be removed', async () => {
  const asked: unknown[] = [];
  const actions = {
    pruneAudit: async (_: unknown, options: { dryRun: boolean }) => {
      asked.push(options);
      return [events];
    },
  };
  expect((await runAmbit('audit prune --dry-run', { actions })).stdout).toBe(
    'Would remove 880 events, up to event 900.\n',
  );
  const printed = await runAmbit('audit prune --dry-run --json', { actions });
  expect(JSON.parse(printed.stdout)).toEqual({ dryRun: true, gone: [events] });
  expect(asked).toEqual([{ dryRun: true }, { dryRun: true }]);
});

test('prune reports when there is nothing to remove', async () => {
  const actions = { pruneAudit: async () => [] };
  expect((await runAmbit('audit prune', { actions })).stdout).toBe('Nothing to remove.\n');
});

test('backup resolves its file from the current folder and prints how to restore it', async () => {
  const asked: string[] = [];
  const actions = {
    backupAudit: async (_: unknown, to: string) => {
      asked.push(to);
      return { file: to, bytes: 4096, sequence: 7, hash: 'sha256:7' };
    },
  };
  const { exitCode, stdout } = await runAmbit('audit backup copy.db', { actions, cwd: '/work' });
  expect({ exitCode, asked }).toEqual({ exitCode: 0, asked: ['/work/copy.db'] });
  expect(stdout).toBe(
    `Copied the log up to event 7 (sha256:7) to /work/copy.db, 4096 bytes.
To restore it: stop Ambit, remove audit.db, audit.db-wal, audit.db-shm and audit-index.db from ${plainConfig.dataDir},
copy the file there as audit.db, and start Ambit.
`,
  );
});
