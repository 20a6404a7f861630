// Threat model: T314

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
const input = { query: 'a', document: { a: 1 } };
const shared = sharedDaemon(async () => ({}));

test('a call that requests a receipt has it in its answer, and the same receipt is available later', async () => {
  const daemon = shared();
  const { status, body } = await daemon.execute('json-query', { input, receipt: true });
  expect({ status, receipt: body.receipt }).toEqual({
    status: 200,
    receipt: {
      keyId: expect.stringMatching(/^[0-9a-f]{64}$/),
      signature: expect.any(String),
      statement: expect.objectContaining({
        type: 'ambit/receipt/1',
        executionId: body.executionId,
        skill: { id: 'json-query', version: '1.0.0', digest, tier: 'local' },
        decision: 'granted',
        outcome: 'succeeded',
        error: null,
        events: [
          { sequence: body.audit.sequence - 1, hash: digest },
          { sequence: body.audit.sequence, hash: body.audit.hash },
        ],
      }),
    },
  });
  const later = await daemon.request('GET', `/audit/${body.executionId}/receipt`);
  expect(later.body).toEqual(body.receipt);
  const offered = await ambit(['audit', 'receipt', body.executionId, '--data-dir', daemon.dataDir]);
  expect(JSON.parse(offered.stdout)).toEqual(body.receipt);
  // Without a request there is no receipt.
  expect((await daemon.execute('json-query', { input })).body).not.toHaveProperty('receipt');
});

test('a refused call also has a receipt, over HTTP and on the command line, verifiable with the public key alone', async () => {
  const daemon = shared();
  const { status, body } = await daemon.execute('no-such-skill', { input, receipt: true });
  const statement = { decision: 'denied', outcome: 'denied', error: 'SKILL_NOT_FOUND' };
  expect({ status, statement: body.receipt.statement }).toMatchObject({ status: 404, statement });
  const dataDir = join(await temporaryFolder(), 'data');
  const file = join(await temporaryFolder(), 'receipt.json');
  expect(await ambit(['run', 'no-such-skill', '--receipt', file, '--data-dir', dataDir])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/SKILL_NOT_FOUND/),
  });
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ statement });
  const key = join(dataDir, 'audit-key.pub');
  expect(await ambit(['audit', 'verify-receipt', file, '--public-key', key])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The receipt is valid\.\nno-such-skill ended as denied at /),
  });
  // As with "$AUTHORITY" that is not set: nothing may look as if an authority had been checked.
  expect(
    await ambit(['audit', 'verify-receipt', file, '--public-key', key, '--authority', '']),
  ).toMatchObject({ code: 2, stdout: '' });
});
