import { UsageError } from '@ambit/core/outcome';
import type { KeyRequest } from '@ambit/server/auth';
import type { KeyActions } from '@ambit/server/local';
import { expect, test } from 'vitest';
import { type CliEnvironment, runAmbit } from '../testing/run-ambit.ts';

const key = `ambit_${'k'.repeat(43)}`;

/** Key actions that store the requests they get. */
function world(ceiling = ''): { around: CliEnvironment; wishes: KeyRequest[] } {
  const wishes: KeyRequest[] = [];
  const keys: KeyActions = {
    create: async (_, wish) => {
      wishes.push(wish);
      return { ...wish, key };
    },
    list: async () => [
      { name: 'first', status: 'good', scopes: ['admin'] },
      {
        name: 'bot',
        status: 'revoked',
        scopes: ['prompt'],
        skills: ['a'],
        revokedAt: '2026-03-01T00:00:00Z',
      },
    ],
    revoke: async (_, name) => {
      if (name === 'bot') return { name, revokedAt: '2026-03-01T00:00:00Z' };
      throw new UsageError(`the key "${name}" does not exist; "ambit key list" lists the keys`);
    },
  };
  return { around: { actions: { keys: async () => keys }, stdin: ceiling }, wishes };
}

test('create prints only the key to stdout, and its rights to stderr', async () => {
  const { around, wishes } = world();
  const line =
    'key create bot --scope prompt --scope skills:read --scope prompt --skill a --skill b --rate 60';
  expect(await runAmbit(line, around)).toEqual({
    exitCode: 0,
    stdout: `${key}\n`,
    stderr:
      'Created the key bot. Copy it now: it is not shown again. Rights: prompt, skills:read; skills a, b; 60 requests a minute.\nSend it in the header "Authorization: Bearer KEY".\n',
  });
  expect(wishes).toEqual([
    { name: 'bot', scopes: ['prompt', 'skills:read'], skills: ['a', 'b'], ratePerMinute: 60 },
  ]);
});

test('create --json prints one document with times in UTC', async () => {
  const { around } = world();
  const { stdout, stderr } = await runAmbit(
    'key create bot --scope admin --expires 2100-01-31 --json',
    around,
  );
  expect([JSON.parse(stdout), stderr]).toEqual([
    { name: 'bot', scopes: ['admin'], expiresAt: '2100-01-31T00:00:00.000Z', key },
    '',
  ]);
});

test('--expires counts a duration from now', async () => {
  const { around, wishes } = world();
  const before = Date.now();
  await runAmbit('key create bot --scope admin --expires 30d', around);
  const until = Date.parse(wishes[0]?.expiresAt ?? '') - 30 * 86_400_000;
  expect(until).toBeGreaterThanOrEqual(before);
  expect(until).toBeLessThanOrEqual(Date.now());
});

test.each<[claim: string, text: string]>([
  ['YAML', 'capabilities: { network: [] }\nlimits: { timeoutMs: 5 }'],
  ['JSON', '{ "capabilities": { "network": [] }, "limits": { "timeoutMs": 5 } }'],
])('a ceiling is read as %s', async (_, text) => {
  const { around, wishes } = world(text);
  expect(await runAmbit('key create bot --scope admin --ceiling -', around)).toMatchObject({ exitCode: 0 });
  expect(wishes).toEqual([
    { name: 'bot', scopes: ['admin'], ceiling: { capabilities: { network: [] }, limits: { timeoutMs: 5 } } },
  ]);
});

test.each<[line: string, message: RegExp, ceiling?: string]>([
  [
    'key create bot --scope metrics --skill a',
    /skills: the scope metrics covers all skills; leave "skills" or the scope out/,
  ],
  ['key create bot', /a key needs at least one scope: add --scope with one of skills:read, /],
  ['key create bot --scope all', /Allowed scopes: skills:read, /],
  ['key create first --scope admin', /choose another name/],
  ['key create b/t --scope admin', /a key name has up to 64 letters/],
  ['key create bot --scope admin --skill a', /skills: the scope admin covers all skills/],
  ['key create bot --scope prompt --rate 0', /ratePerMinute: must be an integer of at least 1/],
  ['key create bot --scope prompt --rate often', /ratePerMinute: must be an integer of at least 1/],
  ['key create bot --scope prompt --expires soon', /Write a duration \(12h, 30d\) or a date/],
  ['key create bot --scope prompt --ceiling -', /unknown field "network"/, 'network: []'],
  ['key create bot --scope prompt --ceiling -', /- is neither YAML nor JSON/, '{'],
  ['key revoke none', /the key "none" does not exist/],
])('%s is refused: %s', async (line, message, ceiling) => {
  const { around, wishes } = world(ceiling);
  expect(await runAmbit(line, around)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(message),
  });
  expect(wishes).toEqual([]);
});

test('list shows each key with its rights', async () => {
  const { around } = world();
  expect((await runAmbit('key list', around)).stdout).toBe(
    'first  good     admin\nbot    revoked  prompt; skills a; revoked 2026-03-01T00:00:00Z\n',
  );
  expect(JSON.parse((await runAmbit('key list --json', around)).stdout).keys).toHaveLength(2);
});
