import { expect, test } from 'vitest';
import { shared } from '../support/keeper.ts';

const daemon = shared();

test('POST /batch runs each call, answers in order, and leaves one record per call', async () => {
  const call = (n: number) => ({ skill: 'plain', input: n });
  const { status, body } = await daemon().request('POST', '/batch', {
    body: { calls: [call(1), { skill: 'none' }, call(2), { skill: 'keeper', args: ['sys.exit(3)'] }] },
  });
  expect(status).toBe(200);
  expect(body.results).toMatchObject([
    { status: 200, answer: { outcome: { status: 'succeeded', output: 1 } } },
    { status: 404, problem: { code: 'SKILL_NOT_FOUND' } },
    { status: 200, answer: { outcome: { status: 'succeeded', output: 2 } } },
    { status: 200, answer: { outcome: { status: 'failed', failure: { exitCode: 3 } } } },
  ]);
  const records = await daemon().audit(`?parentId=${body.executionId}`);
  const ids = body.results.map(
    ({ answer, problem }: Record<string, { executionId: string }>) => (answer ?? problem)?.executionId,
  );
  expect(records.map(({ executionId }) => executionId).sort()).toEqual(ids.sort());
});

test('POST /batch stops at the first failure if requested', async () => {
  const calls = [
    { skill: 'plain', input: 1 },
    { skill: 'keeper', args: ['sys.exit(3)'] },
    { skill: 'plain', input: 2 },
  ];
  const { body } = await daemon().request('POST', '/batch', { body: { calls, stopOnFailure: true } });
  expect(body.results).toMatchObject([
    { status: 200, answer: { outcome: { status: 'succeeded' } } },
    { status: 200, answer: { outcome: { status: 'failed' } } },
    { status: null, skipped: true },
  ]);
  expect(await daemon().audit(`?parentId=${body.executionId}`)).toHaveLength(2);
  const tooMany = { calls: Array(51).fill(calls[0]) };
  expect((await daemon().request('POST', '/batch', { body: tooMany })).body.code).toBe('REQUEST_INVALID');
  expect((await daemon().request('POST', '/batch', { body: { calls: [] } })).body.code).toBe(
    'REQUEST_INVALID',
  );
});
