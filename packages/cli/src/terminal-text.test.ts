// Threat model: T248, T249

import type { CallRecord } from '@ambit/core/audit';
import { usedNothing } from '@ambit/core/outcome';
import { expect, test } from 'vitest';
import { reloadText } from './commands/config.ts';
import { type FakeClient, refused, runAmbit } from './testing/run-ambit.ts';

/** Sets a title, colors text red, clears the screen, reverses the direction, and hides a tag and zero-width spaces. */
const evil = '\u001b]0;t\u0007\u001b[31mred\u009b2J\u202e\u{E0041}a\u200b.ex\u2028ample';
const shown = '\ufffd]0;t\ufffd\ufffd[31mred\ufffd2J\ufffd\ufffda\ufffd.ex\ufffdample';

const record = { executionId: evil, request: evil, error: { code: 'INTERNAL', message: evil } };
const told = {
  sequence: 1,
  via: 'http',
  actor: evil,
  startedAt: evil,
  endedAt: evil,
  skill: null,
  outcome: 'denied',
  policyDigest: null,
  capabilities: { requested: null, granted: null, denied: [] },
  usage: null,
  used: { ...usedNothing, filesystem: { read: [{ item: evil, count: 1 }], write: null } },
  ...record,
} as unknown as CallRecord;

const client: FakeClient = {
  stream: () => {
    throw refused('SKILL_INVALID', evil);
  },
  skills: async () => ({
    skills: [
      { id: evil, version: evil, tier: 'local', run: null, description: evil, warnings: [evil] } as never,
    ],
    broken: [{ id: evil, root: evil, problem: evil }],
    brokenCount: 2,
    next: null,
  }),
  skill: async () => {
    throw refused('SKILL_NOT_FOUND', evil);
  },
  prompt: async () => ({ prompt: evil, warnings: [evil] }) as never,
  workspaces: { create: async () => ({ id: evil }) as never },
  audit: {
    page: async () => ({ records: [told], next: null }),
    async *export() {
      yield told;
    },
    async *follow() {
      // There are no more events.
    },
  },
};

const lines = [
  ...['run a', 'run a --json', 'skills list', 'skills list --json', 'skills show a', 'prompt'],
  ...['workspace create', 'audit', 'audit --json', 'audit show e', 'audit --follow', 'audit --follow --json'],
  ...['audit export', 'audit export --format csv'],
];

test.each(lines)('"ambit %s" writes no hidden character to a terminal', async (line) => {
  const { stdout, stderr } = await runAmbit(`${line} --no-color`, { client, columns: 400 });
  expect(stdout + stderr).toContain('red');
  expect((stdout + stderr).match(/[^\P{Cc}\n\t]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029]/gu)).toBe(
    null,
  );
});

test('a reload prints the changed keys without hidden characters', () => {
  expect(reloadText({ outcome: 'applied', changed: [evil], issues: [], policyDigest: '' })).toEqual([
    'Reloaded. Changed:',
    `  ${shown}`,
  ]);
});

test('text in scripts that need joiners reaches a terminal unchanged', async () => {
  const honest = 'می\u200cخواهم 👩\u200d💻 ❤\ufe0f';
  const refusing: FakeClient = {
    ...client,
    stream: () => {
      throw refused('SKILL_INVALID', honest);
    },
  };
  const { stderr } = await runAmbit('run a', { client: refusing, columns: 80 });
  expect(stderr).toContain(`ambit: SKILL_INVALID: ${honest}\n`);
});

test('a program gets every character, also of an error', async () => {
  expect(await runAmbit('run a', { client })).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: expect.stringContaining(`ambit: SKILL_INVALID: ${evil}\n`),
  });
  const { stderr } = await runAmbit('run a', { client, columns: 80 });
  expect(stderr).toContain(`ambit: SKILL_INVALID: ${shown}\n`);
  expect(JSON.parse((await runAmbit('run a --json', { client })).stderr).error.message).toBe(evil);
  expect(JSON.parse((await runAmbit('audit export', { client })).stdout)).toEqual(told);
});

test('--json and --format csv contradict each other', async () => {
  const { exitCode, stdout, stderr } = await runAmbit('audit export --format csv --json', { client });
  expect([exitCode, stdout, JSON.parse(stderr).error.code]).toEqual([2, '', 'USAGE_INVALID']);
});
