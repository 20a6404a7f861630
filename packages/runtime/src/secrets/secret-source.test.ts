// Threat model: T201

import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { type SecretLocation, secretSource } from './secret-source.ts';

const path = { PATH: process.env['PATH'] };

const secretOf = (place: SecretLocation, environment = {}): Promise<string> =>
  secretSource({ TOKEN: place }, { ...path, ...environment })('TOKEN');

const refused = (why: string): SkillError =>
  new SkillError(
    'SECRET_UNAVAILABLE',
    `the secret TOKEN is unavailable: ${why}; see secrets.TOKEN in the configuration`,
  );

async function fileOf(content: string, mode = 0o600): Promise<string> {
  const file = join(await temporaryFolder(), 'token');
  await writeFile(file, content);
  await chmod(file, mode);
  return file;
}

test('reads a secret from a variable, a private file or the output of a command', async () => {
  expect(await secretOf({ env: 'CI_TOKEN' }, { CI_TOKEN: 's3cret-1' })).toBe('s3cret-1');
  expect(await secretOf({ file: await fileOf('s3cret-2\n') })).toBe('s3cret-2');
  expect(await secretOf({ command: ['printf', 's3cret-3'] })).toBe('s3cret-3');
});

test('reads a file for each call and caches the output of a command', async () => {
  const [file, count] = [await fileOf('first-value'), await fileOf('')];
  const source = secretSource(
    {
      FILE: { file },
      COMMAND: { command: ['sh', '-c', `echo x >> ${count}; wc -l < ${count}; echo "   "`] },
    },
    path,
  );
  expect(await source('FILE')).toBe('first-value');
  await writeFile(file, 'second-value');
  expect(await source('FILE')).toBe('second-value');
  await expect(source('COMMAND')).rejects.toThrow('contains a line break');
  const once = secretSource({ ONCE: { command: ['sh', '-c', `echo x >> ${count}; echo s3cret`] } }, path);
  expect([await once('ONCE'), await once('ONCE')]).toEqual(['s3cret', 's3cret']);
});

test('reports why a secret is unavailable, without its value', async () => {
  await expect(secretSource({}, {})('TOKEN')).rejects.toThrow(
    new SkillError(
      'SECRET_UNAVAILABLE',
      'the secret TOKEN is unavailable: the configuration does not say where it is stored. Add to ambit.config.yaml: secrets: { TOKEN: { env: TOKEN } }, or another variable, a file or a command',
    ),
  );
  await expect(secretOf({ env: 'NONE' })).rejects.toThrow(
    refused("the daemon's environment has no variable NONE"),
  );
  const open = await fileOf('s3cret-value', 0o644);
  await expect(secretOf({ file: open })).rejects.toThrow(
    refused(`others can read ${open}: chmod 600 ${open}`),
  );
  await expect(secretOf({ file: '/nowhere/token' })).rejects.toThrow(
    refused('/nowhere/token cannot be opened (ENOENT)'),
  );
  await expect(secretOf({ command: ['sh', '-c', 'echo s3cret-value; exit 3'] })).rejects.toThrow(
    refused('sh exited with 3'),
  );
  await expect(secretOf({ command: ['/nowhere/no-such-program'] })).rejects.toThrow(
    refused('/nowhere/no-such-program could not be started: ENOENT'),
  );
  await expect(secretOf({ env: 'SHORT' }, { SHORT: 'abc' })).rejects.toThrow(
    refused('it has fewer than 4 characters'),
  );
});
