// Threat model: T248, T249

import { SkillError } from '@ambit/core';
import type { CallRecord } from '@ambit/core/audit';
import { usedNothing } from '@ambit/core/outcome';
import { expect, test } from 'vitest';
import type { Actions, AuditSource, WorkspaceClient } from './ports/actions.ts';
import { runAmbit } from './testing/run-ambit.ts';

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

const actions: Partial<Actions> = {
  connectRunner: async () => {
    throw new SkillError('SKILL_INVALID', evil, { details: { problem: evil } });
  },
  connectLibrary: async () => ({
    skills: async () => ({
      skills: [
        { id: evil, version: evil, tier: 'local', run: null, description: evil, warnings: [evil] } as never,
      ],
      broken: [{ id: evil, root: evil, problem: evil }],
      brokenCount: 2,
    }),
    skill: async () => {
      throw new SkillError('SKILL_NOT_FOUND', evil);
    },
    compose: async () => ({ prompt: evil, warnings: [evil] }) as never,
  }),
  connectWorkspaces: async () => ({ create: async () => ({ id: evil }) }) as unknown as WorkspaceClient,
  openAudit: async () =>
    ({
      query: async () => ({ records: [told], next: null }),
      export: async function* () {
        yield told;
      },
      follow: async function* () {
        // There are no more events.
      },
      close: async () => undefined,
    }) as unknown as AuditSource,
  reloadDaemon: async () => ({ outcome: 'applied', changed: [evil], issues: [], policyDigest: '' }),
};

const lines = [
  ...[
    'run a',
    'run a --json',
    'skills list',
    'skills list --json',
    'skills show a',
    'prompt',
    'config reload',
  ],
  ...['workspace create', 'audit', 'audit --json', 'audit show e', 'audit --follow', 'audit --follow --json'],
  ...['audit export', 'audit export --format csv'],
];

test.each(lines)('"ambit %s" writes no hidden character to a terminal', async (line) => {
  const { stdout, stderr } = await runAmbit(`${line} --no-color`, { actions, columns: 400 });
  expect(stdout + stderr).toContain('red');
  expect((stdout + stderr).match(/[^\P{Cc}\n\t]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029]/gu)).toBe(
    null,
  );
});

test('text in scripts that need joiners reaches a terminal unchanged', async () => {
  const honest = 'می\u200cخواهم 👩\u200d💻 ❤\ufe0f';
  const refuse = async () => {
    throw new SkillError('SKILL_INVALID', honest);
  };
  const { stderr } = await runAmbit('run a', { actions: { connectRunner: refuse }, columns: 80 });
  expect(stderr).toContain(`ambit: SKILL_INVALID: ${honest}\n`);
});

test('a program gets every character, also of an error', async () => {
  expect(await runAmbit('run a', { actions })).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: expect.stringContaining(`ambit: SKILL_INVALID: ${evil}\n`),
  });
  const { stderr } = await runAmbit('run a', { actions, columns: 80 });
  expect(stderr).toContain(`ambit: SKILL_INVALID: ${shown}\n`);
  expect(JSON.parse((await runAmbit('run a --json', { actions })).stderr).error.message).toBe(evil);
  expect(JSON.parse((await runAmbit('audit export', { actions })).stdout)).toEqual(told);
});

test('--json and --format csv contradict each other', async () => {
  const { exitCode, stdout, stderr } = await runAmbit('audit export --format csv --json', { actions });
  expect([exitCode, stdout, JSON.parse(stderr).error.code]).toEqual([2, '', 'USAGE_INVALID']);
});
