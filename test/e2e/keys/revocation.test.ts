// Threat model: T232

import { expect, test } from 'vitest';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { httpClient } from '../support/mcp-client.ts';
import { openStream } from '../support/streams.ts';
import { waiterWorld } from '../support/waiter.ts';

test('revoking a key ends all its calls, streams and jobs, but not the calls of other keys', async () => {
  const { config, file: newFile } = await waiterWorld();
  // The concurrency is lower than the number of calls, so some wait.
  const daemon = await startDaemon({ ...config, limits: { concurrency: 3, concurrencyPerSkill: 3 } });
  const rights = { scopes: ['skills:execute' as const, 'skills:read' as const] };
  const [gone, kept] = [await withKey(daemon, 'gone', rights), await withKey(daemon, 'kept', rights)];
  const [file, never] = [newFile(), newFile()];
  const later = { headers: { prefer: 'respond-async' } };
  const body = { input: never.path };

  const keptId = (
    await kept.request('POST', '/skills/waiter/execute', { body: { input: file.path }, ...later })
  ).body.executionId;
  const waitedFor = gone.request('POST', '/skills/waiter/execute', { body });
  await gone.request('POST', '/skills/waiter/execute', { body, ...later });
  const keyed = { headers: { ...later.headers, 'idempotency-key': 'again' } };
  await gone.request('POST', '/skills/waiter/execute', { body, ...keyed });
  const response = await openStream(gone, '/skills/waiter/execute', body);
  await gone.request('POST', '/chain', {
    body: { ...body, steps: [{ skill: 'waiter' }, { skill: 'waiter' }] },
    ...later,
  });
  await gone.request('POST', '/batch', { body: { calls: [{ skill: 'waiter', ...body }] }, ...later });
  const client = await httpClient(gone);
  const called = client.callTool({ name: 'waiter', arguments: body }).catch((error: unknown) => error);
  const begun = 7;
  await expect.poll(async () => (await daemon.audit('?actor=gone&outcome=running')).length).toBe(begun);

  await ambit(['key', 'revoke', 'gone', '--data-dir', daemon.dataDir]);
  // There are no requests to the daemon meanwhile.
  expect(await waitedFor).toMatchObject({
    status: 200,
    body: { outcome: { status: 'canceled', reason: 'the key gone was revoked' } },
  });
  expect(Buffer.concat(await response.toArray()).toString()).not.toContain('event: result');
  await called;
  // Each call ends by itself, in no order.
  await expect
    .poll(async () =>
      (await daemon.audit('?actor=gone&skill=waiter')).map(({ outcome, reason }) => [outcome, reason]),
    )
    .toEqual(Array(begun).fill(['canceled', 'the key gone was revoked']));

  await file.make();
  expect((await kept.request('GET', `/executions/${keptId}?wait=60`)).body).toMatchObject({
    outcome: 'succeeded',
  });
});
