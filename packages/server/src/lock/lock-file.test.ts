// Threat model: T163

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { Refusal } from '../errors/refusal.ts';
import { draftLock, type LockedVersion, readLock } from './lock-file.ts';

const good = {
  kind: 'npm',
  name: '@acme/one',
  version: '1.0.0',
  file: '@acme/one/-/one-1.0.0.tgz',
  path: 'node_modules/two/node_modules/@acme/one',
  integrity: `sha512-${'A'.repeat(86)}==`,
};

/** The path of a lock file that does not exist yet. */
async function lockFile(): Promise<string> {
  return join(await temporaryFolder(), 'ambit.lock');
}

/** The packages that are read from a lock file with one package, or the error's field. */
async function lockedWith(changes: object): Promise<unknown> {
  const file = await lockFile();
  const digest = `sha256:${'a'.repeat(64)}`;
  const version = {
    resolved: null,
    digest,
    files: {},
    requests: [],
    publisher: null,
    findings: {},
    fetchedAt: '',
    dependencies: { added: [], python: null, packages: [{ ...good, ...changes }], content: digest },
  };
  const skill = { ...version, source: './a', folder: '', approval: null };
  await writeFile(file, JSON.stringify({ version: 1, skills: { 'a:b': skill } }));
  try {
    const { skills } = await readLock(file);
    return (skills['a:b'] as LockedVersion).dependencies?.packages;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return /packages\.0\.(\w+)/.exec(error.message)?.[1] ?? error.message;
  }
}

test('a locked package of npm is read', async () => {
  expect(await lockedWith({})).toEqual([good]);
  expect(await lockedWith({ file: 'https://files.example/one.tgz', installScript: true })).toMatchObject([
    { installScript: true },
  ]);
});

test.each([
  ['path', 'node_modules/../../evil'],
  ['path', 'node_modules/..'],
  ['path', '/etc/node_modules/one'],
  ['path', 'node_modules/one/lib'],
  ['path', 'node_modules/.bin'],
  ['name', '../one'],
  ['version', '1.0.0 || 2'],
  ['version', '1.0/../..'],
  ['integrity', 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk='],
  ['file', 'http://['],
])('an edited %s of a locked package of npm is refused: %s', async (field, value) => {
  expect(await lockedWith({ [field]: value })).toBe(field);
});

test('an unknown field of a package can have any text that has a digest; half of a surrogate pair has none', async () => {
  expect(await lockedWith({ note: '\u{1f600}' })).toMatchObject([{ note: '\u{1f600}' }]);
  expect(await lockedWith({ note: '\ud83d' })).toMatch(
    /skills\.a:b\.dependencies: .*halves of surrogate pairs; restore it from version control/,
  );
});

test('a written lock file is sorted YAML with a field per line, and reads the same in another YAML style', async () => {
  const file = await lockFile();
  const digest = `sha256:${'a'.repeat(64)}`;
  const skill = {
    source: './b',
    folder: '',
    resolved: null,
    digest,
    files: {},
    requests: ['é "x"'],
    publisher: null,
    identity: null,
    signature: null,
    pinned: null,
    findings: {},
    fetchedAt: '',
    approval: null,
  };
  const source = join(file, '../b');
  const lock = { version: 1 as const, skills: { 'b:b': { ...skill, source }, 'a:a': { ...skill, source } } };
  await (await draftLock(file, lock)).commit();
  const text = await readFile(file, 'utf8');
  const stored = { version: 1, skills: { 'b:b': skill, 'a:a': skill } };
  expect(parse(text)).toEqual(stored);
  expect(text).toMatch(/^#.*\n\{\n {2}"skills": \{\n {4}"a:a": \{\n {6}"approval": null,\n/);
  expect(text.indexOf('"a:a"')).toBeLessThan(text.indexOf('"b:b"'));
  expect(await readLock(file)).toEqual(lock);
  await writeFile(file, stringify(stored, { aliasDuplicateObjects: false }));
  expect(await readLock(file)).toEqual(lock);
});

test('an edit in the style of Ambit reads as in any YAML: deep nesting and repeated fields are refused', async () => {
  const file = await lockFile();
  const written = async (field: string): Promise<unknown> => {
    await (await draftLock(file, { version: 1, skills: {} })).commit();
    const text = (await readFile(file, 'utf8')).replace('\n}', `,\n${field}\n}`);
    await writeFile(file, text);
    return readLock(file).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      return error.message;
    });
  };
  expect(await written('  "later": [\n    1\n  ]')).toEqual({ version: 1, skills: {}, later: [1] });
  expect(await written('  "version": 1')).toContain('not valid YAML: a key appears twice; merge the two');
  expect(await written(`  "later": ${'['.repeat(20_000)}${']'.repeat(20_000)}`)).toContain(
    'it is nested more than 64 deep. Flatten it',
  );
});
