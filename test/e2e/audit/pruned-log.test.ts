import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/daemon.ts';
import { ambit, type Daemon, daemonProcess } from '../../support/daemon-process.ts';

const input = { query: 'a', document: { a: 1 } };

test('a pruned log verifies in the daemon, beside it and as a backup, and receipts of pruned calls stay valid', async () => {
  const { folder, outside, receipt, executionId, last } = await firstDaemon();
  const daemon = await daemonProcess(folder, prunesEvents(outside));
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
      ...{ logId: verification.logId, createdAt: expect.any(String), copies: { file: outside } },
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
      ...{ status: 400, body: { code: 'REQUEST_INVALID' } },
    });

    const backup = join(folder, 'backup.db');
    const common = ['--config', join(folder, 'ambit.config.yaml'), '--json'];
    expect(await ambit(['audit', 'backup', backup, ...common])).toMatchObject({ code: 0, stderr: '' });
    for (const file of [join(daemon.dataDir, 'audit.db'), backup])
      expect(await verified(file, daemon, outside)).toMatchObject({ code: 0, found: intact });

    const check = ['audit', 'verify-receipt', receipt, '--public-key', publicKey(daemon), '--json'];
    const offline = await ambit(check);
    expect({ code: offline.code, found: JSON.parse(offline.stdout) }).toMatchObject({
      ...{ code: 0, found: { valid: true, receipt: { executionId } } },
    });
    const compared = await ambit([...check, '--log', backup]);
    expect({ code: compared.code, found: JSON.parse(compared.stdout) }).toMatchObject({
      ...{ code: 3, found: { valid: false, reason: 'unlike-log' } },
    });
  } finally {
    await daemon.stop();
  }
  expect(await verified(join(folder, 'data/audit.db'), daemon, outside)).toMatchObject({ code: 0 });
});

test('a restored backup can be queried and extended, and verifies against external checkpoints', async () => {
  const { folder, outside, last } = await firstDaemon();
  const common = ['--config', join(folder, 'ambit.config.yaml'), '--json'];
  const backup = join(folder, 'backup.db');
  expect(await ambit(['audit', 'backup', backup, ...common])).toMatchObject({ code: 0 });
  for (const name of ['audit.db', 'audit.db-wal', 'audit.db-shm', 'audit-index.db'])
    await rm(join(folder, 'data', name), { force: true });
  await copyFile(backup, join(folder, 'data/audit.db'));
  const daemon = await daemonProcess(folder, config(outside));
  const { body } = await daemon.execute('json-query', { input });
  expect(body.audit.sequence).toBeGreaterThan(last);
  expect(await daemon.audit()).toHaveLength(3);
  await daemon.stop();
  expect(await verified(join(folder, 'data/audit.db'), daemon, outside)).toMatchObject({
    ...{ code: 0, found: { intact: true, first: 1 } },
  });
});

/** The files of a stopped daemon with two calls and a receipt of the first. `last` is the last event of its log. */
async function firstDaemon() {
  const folder = await temporaryFolder();
  const outside = join(folder, 'elsewhere.jsonl');
  const daemon = await daemonProcess(folder, config(outside));
  const { body } = await daemon.execute('json-query', { input, receipt: true });
  await daemon.execute('json-query', { input });
  await daemon.stop();
  const receipt = join(folder, 'receipt.json');
  await writeFile(receipt, JSON.stringify(body.receipt));
  const { found } = await verified(join(folder, 'data/audit.db'), daemon, outside);
  return { folder, outside, receipt, executionId: body.executionId, last: found.last.sequence as number };
}

function config(outside: string): object {
  return { audit: { checkpoints: { file: outside } } };
}

/** A retention that removes everything up to the last checkpoint. */
function prunesEvents(outside: string): object {
  return { audit: { checkpoints: { file: outside }, retentionDays: 0.000001, prune: 'events' } };
}

function publicKey({ dataDir }: Daemon): string {
  return join(dataDir, 'audit-key.pub');
}

async function verified(file: string, daemon: Daemon, outside: string) {
  const { code, stdout, stderr } = await ambit([
    ...['audit', 'verify', '--json', '--log', file],
    ...['--public-key', publicKey(daemon), '--checkpoints', outside],
  ]);
  if (stdout === '') throw new Error(stderr);
  return { code, found: JSON.parse(stdout) };
}
