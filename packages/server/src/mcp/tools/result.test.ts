import { type Denial, type ExecuteResult, usedNothing } from '@ambit/core';
import { expect, test } from 'vitest';
import { runResult } from './result.ts';

const result: ExecuteResult = {
  ...{ executionId: 'e1', log: '', audit: { sequence: 1, hash: 'sha256:h' } },
  outcome: { status: 'succeeded', output: 'done' },
  usage: { durationMs: 1, queueMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
  used: usedNothing,
};
const KiB = 1024;

test('an answer holds files of up to 256 KiB each and 1 MiB together, and names the others', () => {
  const lengths = [256 * KiB, 256 * KiB + 1, 256 * KiB, 256 * KiB, 255 * KiB, 2 * KiB, KiB];
  const files = lengths.map((length, index) => ({
    ...{ path: `f${index}`, change: 'created' as const, bytes: length },
    content: Buffer.alloc(length, 'x'),
  }));
  const { content } = runResult('a', { ...result, files }, undefined);
  const named = content.map((block) => (block.type === 'text' ? block.text.slice(0, 20) : block.type));
  expect(named).toEqual([
    '"done"',
    ...['It created "f0" in i', 'resource', 'It created "f1" in i', 'It created "f2" in i', 'resource'],
    ...['It created "f3" in i', 'resource', 'It created "f4" in i', 'resource', 'It created "f5" in i'],
    ...['It created "f6" in i', 'resource'],
  ]);
});

test('an answer names up to 1,000 files and 64 KiB of paths, and counts the others', () => {
  const filesOf = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ path: `${index}`.padStart(length, '\u0001'), change: 'created' as const, bytes: 1 },
      content: null,
    }));
  const shown = (count: number, length: number) => {
    const { content } = runResult('a', { ...result, files: filesOf(count, length) }, undefined);
    const last = content.at(-1);
    return [content.length, last?.type === 'text' ? last.text.slice(0, 60) : ''];
  };
  const cut = (count: number) =>
    `[cut: it left ${count} files in its workspace, and an answer over MCP`.slice(0, 60);
  expect(shown(1000, 4)).toEqual([1001, expect.stringMatching(/^It created /)]);
  expect(shown(1001, 4)).toEqual([1002, cut(1001)]);
  expect(shown(256, 256)).toEqual([257, expect.stringMatching(/^It created /)]);
  expect(shown(257, 256)).toEqual([258, cut(257)]);
});

test('what a failed run wrote is cut where it is long', () => {
  const failed = (stderr: string) =>
    runResult('a', { ...result, outcome: { status: 'failed', failure: { exitCode: 3 }, stderr } }, undefined);
  expect(failed('no')).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^no\n/) }] });
  const long = 'x'.repeat(256 * KiB);
  expect(failed(`${long}y`)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^x{262144}\n\[cut: it has 262145 characters/) }],
  });
});

test('what a run was stopped for is said once, with what grants it where that is known', () => {
  const outcome: ExecuteResult['outcome'] = {
    status: 'capability-violated',
    capability: 'state',
    detail: 'state_set needs state: write',
  };
  const denial: Denial = {
    capability: 'state',
    requested: 'write',
    reason: 'it was not requested',
    remedy: 'state: write in its ambit.yaml',
  };
  const textsOf = (denials: ExecuteResult['denials']) =>
    runResult('a', { ...result, outcome, ...(denials && { denials }) }, undefined).content;
  const stopped = 'a was stopped: it reached for state: state_set needs state: write.';
  const told = 'Not granted, and you cannot grant it. Tell the user what is missing and how it is granted:';
  expect(textsOf([denial])).toEqual([
    {
      type: 'text',
      text: `${stopped}\n${told}\n- state write: it was not requested. To grant it: state: write in its ambit.yaml`,
    },
  ]);
  const general =
    'If it should have that, its ambit.yaml has to request it and the configuration has to grant it.';
  expect(textsOf(undefined)).toEqual([{ type: 'text', text: `${stopped}\n${general}` }]);
});
