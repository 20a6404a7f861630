import { join } from 'node:path';
import type { KeyRequest } from '@ambit/server/auth';
import type { ListedKey } from '@ambit/server/local';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { plainConfig } from '../../../server/src/testing/plain-config.ts';
import { type CliResult, runAmbit } from '../testing/run-ambit.ts';

/** A data directory, and the keys that it has after the first one. */
async function world() {
  const dataDir = join(await temporaryFolder(), 'data');
  const loadConfig = async () => ({ ...plainConfig, dataDir });
  const run = (line: string, stdin = ''): Promise<CliResult> => runAmbit(line, { loadConfig, stdin });
  const made = async (): Promise<KeyRequest[]> => {
    const { keys } = JSON.parse((await run('key list --json')).stdout);
    return keys.map(({ status: _, createdAt: __, ...request }: ListedKey) => request);
  };
  return { run, made };
}

test('create prints only the key to stdout, and its rights to stderr', async () => {
  const { run, made } = await world();
  const line =
    'key create bot --scope prompt --scope skills:read --scope prompt --skill a --skill b --rate 60';
  expect(await run(line)).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^ambit_\S+\n$/),
    stderr:
      'Created the key bot. Copy it now: it is not shown again. Rights: prompt, skills:read; skills a, b; 60 requests a minute.\nSend it in the header "Authorization: Bearer KEY".\n',
  });
  expect(await made()).toEqual([
    { name: 'bot', scopes: ['prompt', 'skills:read'], skills: ['a', 'b'], ratePerMinute: 60 },
  ]);
});

test('create --json prints one document with times in UTC', async () => {
  const { run } = await world();
  const { stdout, stderr } = await run('key create bot --scope admin --expires 2100-01-31 --json');
  expect([JSON.parse(stdout), stderr]).toEqual([
    {
      name: 'bot',
      scopes: ['admin'],
      createdAt: expect.any(String),
      expiresAt: '2100-01-31T00:00:00.000Z',
      key: expect.stringMatching(/^ambit_/),
    },
    '',
  ]);
});

test('--expires counts a duration from now', async () => {
  const { run, made } = await world();
  const before = Date.now();
  await run('key create bot --scope admin --expires 30d');
  const until = Date.parse((await made())[0]?.expiresAt ?? '') - 30 * 86_400_000;
  expect(until).toBeGreaterThanOrEqual(before);
  expect(until).toBeLessThanOrEqual(Date.now());
});

test.each<[claim: string, text: string]>([
  ['YAML', 'capabilities: { network: [] }\nlimits: { timeoutMs: 5 }'],
  ['JSON', '{ "capabilities": { "network": [] }, "limits": { "timeoutMs": 5 } }'],
])('a ceiling is read as %s', async (_, text) => {
  const { run, made } = await world();
  expect(await run('key create bot --scope admin --ceiling -', text)).toMatchObject({ exitCode: 0 });
  expect(await made()).toEqual([
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
])('%s is refused: %s', async (line, message, ceiling) => {
  const { run, made } = await world();
  expect(await run(line, ceiling)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(message),
  });
  expect(await made()).toEqual([]);
});

test('revoking a key that does not exist is refused', async () => {
  const { run } = await world();
  await run('key create bot --scope prompt');
  expect(await run('key revoke none')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'ambit: USAGE_INVALID: the key "none" does not exist; "ambit key list" lists the keys\n',
  });
});

test('list shows each key with its rights', async () => {
  const { run } = await world();
  await run('key create reader --scope audit:read');
  await run('key create bot --scope prompt --skill a');
  const { stdout } = await run('key revoke bot');
  expect((await run('key list')).stdout.replace(/\d{4}-.*Z/, 'THEN')).toBe(
    'reader  good     audit:read\nbot     revoked  prompt; skills a; revoked THEN\n',
  );
  expect(stdout).toMatch(/^The key bot was revoked at \d{4}-.*Z\.\n$/);
});
