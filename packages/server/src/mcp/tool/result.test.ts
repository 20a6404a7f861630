// Threat model: T79, T337

import type { ExecuteResult } from '@ambit/core/execute';
import type { Denial } from '@ambit/core/policy';
import { expect, test } from 'vitest';
import { someResult } from '../../testing/some-result.ts';
import { runResult } from './result.ts';

const result = someResult({ status: 'succeeded', output: 'done' });
const KiB = 1024;

test('includes files of up to 256 KiB each and 1 MiB together, and says how to get the others', () => {
  const lengths = [256 * KiB, 256 * KiB + 1, 256 * KiB, 256 * KiB, 255 * KiB, 2 * KiB, KiB];
  const files = lengths.map((length, index) => ({
    path: `f${index}`,
    change: 'created' as const,
    bytes: length,
    content: Buffer.alloc(length, 'x'),
  }));
  const { content } = runResult('a', { ...result, files }, undefined);
  const named = content.map((block) => (block.type === 'text' ? block.text : block.type));
  const created = (index: number, rest = '') =>
    `The run created "f${index}", text, ${lengths[index]} bytes in its own folder.${rest}`;
  const leftOut = ' Its content is left out.';
  expect(named).toEqual([
    '"done"',
    ...[created(0), 'resource', created(1, leftOut), created(2), 'resource', created(3), 'resource'],
    ...[created(4), 'resource', created(5, leftOut), created(6), 'resource'],
    '[left out: the contents of 2 files. A result over MCP has at most 262144 bytes of a file and 1048576 of all files. To get them, repeat the call in a workspace (create_workspace creates one), and read them there with read_workspace_file]',
  ]);
});

const filesOf = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => ({
    path: `${index}`.padStart(length, '\u0001'),
    change: 'deleted' as const,
    bytes: 0,
    content: null,
  }));

test('names up to 1,000 files and 64 KiB of paths, counts the others, and says how to get them', () => {
  const shown = (count: number, length: number) => {
    const { content } = runResult('a', { ...result, files: filesOf(count, length) }, undefined);
    const last = content.at(-1);
    return [content.length, last?.type === 'text' ? last.text : ''];
  };
  const cut = (count: number) =>
    `[cut: the run changed ${count} files, and a result over MCP names the first ${count - 1}. To get all names, repeat the call in a workspace (create_workspace creates one), and use list_workspaces]`;
  expect(shown(1000, 4)).toEqual([1001, expect.stringMatching(/^The run deleted /)]);
  expect(shown(1001, 4)).toEqual([1002, cut(1001)]);
  expect(shown(256, 256)).toEqual([257, expect.stringMatching(/^The run deleted /)]);
  expect(shown(257, 256)).toEqual([258, cut(257)]);
});

test('names a file that could not be read back, with the reason', () => {
  const link = {
    path: 'l',
    change: 'created' as const,
    bytes: 0,
    content: null,
    omitted: 'not a regular file',
  };
  const { content } = runResult('a', { ...result, files: [link] }, undefined);
  expect(content.slice(1)).toEqual([
    {
      type: 'text',
      text: 'The run created "l", 0 bytes in its own folder. Its content is left out: not a regular file. Have the skill leave a smaller, regular file.',
    },
  ]);
});

test('lists the files of a run in a workspace in one text, which says how to read them', () => {
  const stored = { id: 'w1', stored: true as const, usedBytes: 7 };
  const files = [
    { path: 'a', change: 'changed' as const, bytes: 3, content: Buffer.from('abc') },
    { path: 'b', change: 'created' as const, bytes: 4, content: Buffer.from([1, 0, 2, 3]) },
    { path: 'c', change: 'deleted' as const, bytes: 0, content: null },
  ];
  const run = (more: Partial<ExecuteResult>) => runResult('a', { ...result, ...more }, undefined);
  const text = (value: string) => ({ type: 'text', text: value });
  expect(run({ files, workspace: stored })).toMatchObject({
    content: [
      text('"done"'),
      text(
        'The run changed workspace w1, which now has 7 bytes:\n- changed "a", text, 3 bytes\n- created "b", binary, 4 bytes\n- deleted "c"\nRead them with read_workspace_file, or as the resources workspace://w1/PATH.',
      ),
    ],
    _meta: { 'ambit/workspace': stored },
  });
  expect(run({ files: [], workspace: stored }).content[1]).toEqual(
    text('The run changed nothing in workspace w1.'),
  );
  const [, many] = run({ files: filesOf(1001, 4), workspace: stored }).content;
  expect(many).toMatchObject({
    text: expect.stringMatching(
      /\n\[cut: 1 more; list_workspaces with "workspace": "w1" lists all of them\]\n/,
    ),
  });
  const unchanged = { id: 'w1', stored: false as const, why: 'it left a link' };
  expect(run({ files: files.slice(0, 1), workspace: unchanged }).content.slice(1)).toEqual([
    text('Workspace w1 is unchanged: it left a link.'),
    text('The run changed "a", text, 3 bytes in its own folder.'),
    { type: 'resource', resource: { uri: 'workspace:///a', text: 'abc' } },
  ]);
});

test("includes up to 4,096 characters of the skill's log", () => {
  const logged = (log: string) => runResult('a', { ...result, log }, undefined).content.slice(1);
  expect(logged('')).toEqual([]);
  expect(logged('x'.repeat(4096))).toEqual([{ type: 'text', text: `[log]\n${'x'.repeat(4096)}` }]);
  expect(logged('x'.repeat(4097))).toEqual([
    {
      type: 'text',
      text: expect.stringMatching(/^\[log\]\nx{4096}\n\[cut: the log has 4097 characters\. To get all of it/),
    },
  ]);
});

test('cuts the output of a failed run', () => {
  const failed = (stderr: string) =>
    runResult('a', { ...result, outcome: { status: 'failed', failure: { exitCode: 3 }, stderr } }, undefined);
  expect(failed('no')).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^no\n/) }] });
  const long = 'x'.repeat(256 * KiB);
  expect(failed(`${long}y`)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^x{262144}\n\[cut: the text has 262145 characters/) }],
  });
});

test('gives the reason for stopping a run once, with the configuration that grants it if known', () => {
  const outcome: ExecuteResult['outcome'] = {
    status: 'capability-violated',
    capability: 'state',
    detail: 'state_set needs state: write',
  };
  const denial: Denial = {
    capability: 'state',
    requested: 'write',
    reason: 'is not requested',
    remedy: 'request state: write in its ambit.yaml',
  };
  const textsOf = (denials: ExecuteResult['denials']) =>
    runResult('a', { ...result, outcome, ...(denials && { denials }) }, undefined).content;
  const stopped = 'a was stopped: it tried to use state, which is not granted: state_set needs state: write.';
  const notice =
    'This is not granted, and you cannot grant it: a person decides. Tell the user what is missing:';
  expect(textsOf([denial])).toEqual([
    {
      type: 'text',
      text: `${stopped}\n${notice}\n- state write is not requested. Request state: write in its ambit.yaml`,
    },
  ]);
  const general = "To allow this, request it in the skill's ambit.yaml and grant it in the configuration.";
  expect(textsOf(undefined)).toEqual([{ type: 'text', text: `${stopped}\n${general}` }]);
});
