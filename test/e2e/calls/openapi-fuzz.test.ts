// Threat model: T240

import { expect, onTestFinished, test } from 'vitest';
import { fuzzDaemon } from '../../support/openapi/fuzz-daemon.ts';
import { fuzzWorld } from '../../support/openapi/fuzz-world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';

test('every response to any request with any key is declared in the OpenAPI document', async () => {
  const { daemon, keys, hints } = await fuzzWorld(await temporaryFolder());
  onTestFinished(async () => void (await daemon.stop('SIGKILL')));
  const made = isWhole ? 2000 : 500;
  const { flaws, accepted, requests } = await fuzzDaemon(daemon, { requests: made, seed: 2, keys, hints });
  expect(flaws).toEqual([]);
  expect(requests).toBe(made);
  // If everything were refused, the test would prove nothing.
  expect(Object.keys(accepted)).toEqual(
    expect.arrayContaining(['executeSkill', 'executeChain', 'getSkill', 'composePrompt', 'listRecords']),
  );
  expect(Object.keys(accepted).length).toBeGreaterThan(25);
  if (isWhole)
    expect(Object.keys(accepted)).toEqual(
      expect.arrayContaining([
        ...['executeBatch', 'putWorkspaceFile', 'sendMcpMessage'],
        ...['getReceipt', 'getSkillBody', 'getSkillFile'],
      ]),
    );
  expect(await daemon.request('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await daemon.request('GET', '/audit/verify')).toMatchObject({ status: 200, body: { intact: true } });
});
