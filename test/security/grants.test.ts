// Threat model: T61, T86

import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { attackingSkill, giveTo, stage } from './support/attacker.ts';
import { callers } from './support/callers.ts';

const denied = { refused: { code: 'CAPABILITY_DENIED', message: expect.any(String) } };

describe.each(callers)('as $name', (caller) => {
  const ground = stage(caller);
  let at: (path: string) => string;

  beforeAll(async () => {
    at = (path) => join(ground.folder, 'host', path);
  });

  beforeEach(async () => {
    await rm(at('.'), { recursive: true, force: true });
    for (const folder of ['a', 'b/secret', 'elsewhere']) await mkdir(at(folder), { recursive: true });
    for (const file of ['a/file', 'b/file', 'b/secret/file', 'elsewhere/file'])
      await writeFile(at(file), file);
    await giveTo(ground.program.skillUser, at('a'));
  });

  /** The output of a skill that requests these paths, or its refusal. */
  async function readAs(
    requested: { read?: string[]; write?: string[] },
    grant: { read?: string[]; write?: string[] },
    file: string,
    deny: { read?: string[]; write?: string[] } = {},
  ): Promise<unknown> {
    const run = { capabilities: { exec: ['python3'], filesystem: requested } };
    const skill = await attackingSkill(ground.folder, 'reader.py', run);
    const answer = await ground.program.call({
      skill,
      given: { file },
      files: {},
      grant: { filesystem: grant },
      deny: { filesystem: deny },
      narrowing: {},
    });
    return 'refused' in answer ? answer : answer.execution.outcome;
  }

  const read = (content: string) => ({ status: 'succeeded', output: content });

  test('a path beside the granted one is refused', async () => {
    expect(await readAs({ read: [at('b')] }, { read: [at('a')] }, at('b/file'))).toEqual(denied);
    expect(await readAs({ read: [at('a')] }, { read: [at('a')] }, at('a/file'))).toEqual(read('a/file'));
  });

  test('a path whose name begins like the granted one is refused', async () => {
    await mkdir(at('a-secret'));
    await writeFile(at('a-secret/file'), 'secret');
    expect(await readAs({ read: [at('a-secret')] }, { read: [at('a')] }, at('a-secret/file'))).toEqual(
      denied,
    );
    expect(await readAs({ read: [at('a')] }, { read: [at('a')] }, at('a-secret/file'))).toEqual(
      read('ENOENT'),
    );
  });

  test('a granted path that became a symlink out of it is refused', async () => {
    await symlink(at('elsewhere'), at('a/link'));
    const link = at('a/link');
    expect(await readAs({ read: [link] }, { read: [at('a')] }, `${link}/file`)).toEqual(denied);
    expect(await readAs({ read: [link] }, { read: [at('a'), at('elsewhere')] }, `${link}/file`)).toEqual(
      read('elsewhere/file'),
    );
  });

  test('a granted path whose parent became a symlink out of it is refused', async () => {
    await mkdir(at('elsewhere/deep'));
    await writeFile(at('elsewhere/deep/file'), 'deep');
    await symlink(at('elsewhere'), at('a/parent'));
    const path = at('a/parent/deep');
    expect(await readAs({ read: [path] }, { read: [at('a')] }, `${path}/file`)).toEqual(denied);
    await rm(at('a/parent'));
    await mkdir(at('a/parent/deep'), { recursive: true });
    await writeFile(at('a/parent/deep/file'), 'within');
    expect(await readAs({ read: [path] }, { read: [at('a')] }, `${path}/file`)).toEqual(read('within'));
  });

  test('a denied path below a granted one is refused', async () => {
    const deny = { read: [at('b/secret')] };
    expect(await readAs({ read: [at('b')] }, { read: [at('b')] }, at('b/secret/file'), deny)).toEqual(denied);
    expect(await readAs({ read: [at('a')] }, { read: [at('a'), at('b')] }, at('a/file'), deny)).toEqual(
      read('a/file'),
    );
  });

  test('a denied path through a symlink in a granted path is refused', async () => {
    await symlink(at('b/secret'), at('a/link'));
    const link = at('a/link');
    const grant = { read: [at('a'), at('b')] };
    expect(await readAs({ read: [link] }, grant, `${link}/file`, { read: [at('b/secret')] })).toEqual(denied);
    expect(await readAs({ read: [link] }, grant, `${link}/file`)).toEqual(read('b/secret/file'));
  });

  test('a denied path through a symlink that the operator granted is refused', async () => {
    await symlink(at('b/secret'), at('alias'));
    const grant = { read: [at('alias')] };
    const deny = { read: [at('b/secret')] };
    expect(await readAs({ read: [at('alias')] }, grant, at('alias/file'), deny)).toEqual(denied);
    expect(await readAs({ read: [at('alias')] }, grant, at('alias/file'))).toEqual(read('b/secret/file'));
  });

  test('writing to a path granted for reading is refused', async () => {
    expect(await readAs({ write: [at('a')] }, { read: [at('a')] }, at('a/file'))).toEqual(denied);
    expect(await readAs({ write: [at('a')] }, { write: [at('a')] }, at('a/file'))).toEqual(read('a/file'));
  });

  test.each(['/', '/proc', '/dev', '/sys', '/usr', '/etc', '/skill'])(
    'a grant of the sandbox’s own %s is refused',
    async (path) => {
      expect(await readAs({ read: [path] }, { read: ['/'] }, `${path}/x`)).toEqual(denied);
      expect(await readAs({ read: [at('a')] }, { read: ['/'] }, at('a/file'))).toEqual(read('a/file'));
    },
  );

  test('a granted path that does not exist is refused', async () => {
    expect(await readAs({ write: [at('a/new')] }, { write: [at('a')] }, at('a/new'))).toEqual(denied);
    expect(await readAs({ write: [at('a')] }, { write: [at('a')] }, at('a/file'))).toEqual(read('a/file'));
  });

  test('a path with ".." is refused', async () => {
    expect(await readAs({ read: [`${at('a')}/../b`] }, { read: [at('a')] }, at('b/file'))).toEqual({
      refused: { code: 'SKILL_INVALID', message: expect.stringContaining('".."') },
    });
    expect(await readAs({ read: [at('b')] }, { read: [at('b')] }, at('b/file'))).toEqual(read('b/file'));
  });
});
