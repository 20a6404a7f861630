// The tests start daemons of their own: the claims are about logs that a daemon has left.
import { copyFile, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Verification } from '../../../packages/core/src/audit.ts';
import { verifyLog } from '../../../packages/server/src/index.ts';
import { ambit, daemonProcess } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const input = { query: 'a', document: { a: 1 } };

/** The files of a stopped daemon with two calls and a receipt of the first. `last` is the last event of its log. */
let left: { folder: string; executionId: string; last: number };

beforeAll(async () => {
  const folder = await temporaryFolder({}, afterAll);
  const daemon = await daemonProcess(folder, config(folder));
  const { body } = await daemon.execute('json-query', { input, receipt: true });
  await daemon.execute('json-query', { input });
  await daemon.stop();
  await writeFile(join(folder, 'receipt.json'), JSON.stringify(body.receipt));
  const { last } = (await verified(join(folder, 'data/audit.db'), folder)) as { last: { sequence: number } };
  left = { folder, executionId: body.executionId, last: last.sequence };
});

test('a pruned log verifies in the daemon, beside it and as a backup, and receipts of pruned calls stay valid', async () => {
  const { executionId, last } = left;
  const folder = await copied();
  // Everything up to the last checkpoint.
  const rules = { ...config(folder).audit, retentionDays: 0.000001, prune: 'events' };
  const daemon = await daemonProcess(folder, { audit: rules });
  try {
    await expect.poll(() => daemon.logged()).toMatch(/pruned the audit log/);
    const later = await daemon.execute('json-query', { input });
    expect((await daemon.audit()).map((record) => record.executionId)).toEqual([later.body.executionId]);
    expect(await daemon.request('GET', `/audit/${executionId}`)).toMatchObject({ status: 404 });
    const intact = { intact: true, first: last + 1 };
    const { body: verification } = await daemon.request('GET', '/audit/verify');
    expect(verification).toMatchObject(intact);
    const { body: chain } = await daemon.request('GET', '/audit/chain');
    expect(chain).toEqual({
      logId: verification.logId,
      createdAt: expect.any(String),
      copies: rules.checkpoints,
      first: { sequence: last + 1, time: expect.any(String) },
      last: { ...verification.last, time: expect.any(String) },
      checkpoint: { sequence: expect.any(Number), time: expect.any(String), keyId: expect.any(String) },
      unsigned: chain.last.sequence - chain.checkpoint.sequence,
      keys: [{ keyId: chain.checkpoint.keyId, publicKey: expect.stringMatching(/^-----BEGIN/), since: 1 }],
      verification: { at: expect.any(String), actor: 'key', result: verification },
    });
    const { body: prunings } = await daemon.request('GET', '/audit/events?kind=log.pruned,key.rotated');
    expect(prunings).toMatchObject({
      events: [
        { sequence: expect.any(Number), event: { kind: 'log.pruned', what: 'events', through: last } },
      ],
      next: null,
    });
    expect(await daemon.request('GET', '/audit/events?kind=log.pruned,other')).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_INVALID' },
    });

    const backup = join(folder, 'backup.db');
    const common = ['--config', join(folder, 'ambit.config.yaml'), '--json'];
    expect(await ambit(['audit', 'backup', backup, ...common])).toMatchObject({ code: 0, stderr: '' });
    for (const file of [join(daemon.dataDir, 'audit.db'), backup])
      expect(await verified(file, folder)).toMatchObject(intact);

    const key = join(daemon.dataDir, 'audit-key.pub');
    const check = ['audit', 'verify-receipt', join(folder, 'receipt.json'), '--public-key', key, '--json'];
    const offline = await ambit(check);
    expect({ code: offline.code, found: JSON.parse(offline.stdout) }).toMatchObject({
      code: 0,
      found: { valid: true, receipt: { executionId } },
    });
    const compared = await ambit([...check, '--log', backup]);
    expect({ code: compared.code, found: JSON.parse(compared.stdout) }).toMatchObject({
      code: 3,
      found: { valid: false, reason: 'unlike-log' },
    });
  } finally {
    await daemon.stop();
  }
  expect(await verified(join(folder, 'data/audit.db'), folder)).toMatchObject({ intact: true });
});

test('a restored backup can be queried and extended, and verifies against external checkpoints', async () => {
  const folder = await copied();
  const common = ['--config', join(folder, 'ambit.config.yaml'), '--json'];
  const backup = join(folder, 'backup.db');
  expect(await ambit(['audit', 'backup', backup, ...common])).toMatchObject({ code: 0 });
  for (const name of ['audit.db', 'audit.db-wal', 'audit.db-shm', 'audit-index.db'])
    await rm(join(folder, 'data', name), { force: true });
  await copyFile(backup, join(folder, 'data/audit.db'));
  const daemon = await daemonProcess(folder, config(folder));
  const { body } = await daemon.execute('json-query', { input });
  expect(body.audit.sequence).toBeGreaterThan(left.last);
  expect(await daemon.audit()).toHaveLength(3);
  await daemon.stop();
  expect(await verified(join(folder, 'data/audit.db'), folder)).toMatchObject({ intact: true, first: 1 });
});

/** A copy of what the daemon has left, whose configuration names the copy. */
async function copied(): Promise<string> {
  const folder = await temporaryFolder();
  await cp(left.folder, folder, { recursive: true });
  const file = join(folder, 'ambit.config.yaml');
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll(left.folder, folder));
  return folder;
}

function config(folder: string) {
  return { audit: { checkpoints: { file: join(folder, 'elsewhere.jsonl') } } };
}

async function verified(file: string, folder: string): Promise<Verification> {
  const publicKey = await readFile(join(folder, 'data/audit-key.pub'), 'utf8');
  return verifyLog({ file, publicKey, checkpoints: join(folder, 'elsewhere.jsonl') });
}
