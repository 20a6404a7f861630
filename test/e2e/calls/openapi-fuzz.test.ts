// Threat model: T240

import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../support/daemon.ts';
import { fuzzDaemon } from '../../support/openapi/fuzz-daemon.ts';
import { fuzzWorld } from '../../support/openapi/fuzz-world.ts';

test('every response to any request with any key is declared in the OpenAPI document', async () => {
  const { daemon, keys, hints } = await fuzzWorld(await temporaryFolder());
  onTestFinished(async () => void (await daemon.stop('SIGKILL')));
  const { flaws, accepted, requests } = await fuzzDaemon(daemon, { requests: 2000, seed: 2, keys, hints });
  expect(flaws).toEqual([]);
  expect(requests).toBe(2000);
  // If everything were refused, the test would prove nothing.
  expect(accepted).toMatchObject({
    ...{ executeSkill: expect.any(Number), executeChain: expect.any(Number), getSkill: expect.any(Number) },
    ...{ composePrompt: expect.any(Number), listRecords: expect.any(Number), getReceipt: expect.any(Number) },
    ...{ getSkillBody: expect.any(Number), getSkillFile: expect.any(Number) },
    ...{
      executeBatch: expect.any(Number),
      putWorkspaceFile: expect.any(Number),
      sendMcpMessage: expect.any(Number),
    },
  });
  expect(await daemon.request('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await daemon.request('GET', '/audit/verify')).toMatchObject({ status: 200, body: { intact: true } });
});
