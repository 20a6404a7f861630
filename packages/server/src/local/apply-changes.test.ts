// Threat model: T459

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { trustConfig } from '../trust/config-trust.ts';
import { applyChanges } from './apply-changes.ts';

/** A project whose configuration was trusted with this text. */
async function project(text: string) {
  const [folder, dataHome] = [await temporaryFolder(), await temporaryFolder()];
  const path = join(folder, 'ambit.config.yaml');
  await writeFile(path, text);
  await trustConfig(dataHome, path, Buffer.from(text), Date.now());
  const config = {
    dataDir: join(folder, '.ambit'),
    dataDirTrust: { project: folder, dataHome },
    file: path,
    userFile: undefined,
    scope: { kind: 'project' as const, folder, sign: 'ambit.config.yaml' },
  };
  return { path, config };
}

test('a configuration that another program changes after it was loaded is not trusted along with a change of it', async () => {
  const { path, config } = await project('# mine\n');
  await writeFile(path, '# not mine\n');
  const change = { path, before: '# not mine\n', after: '# not mine\nlogLevel: info\n' };
  await expect(applyChanges(config, [change])).rejects.toMatchObject({ code: 'CONFIG_UNTRUSTED' });
  expect(await readFile(path, 'utf8')).toBe('# not mine\n');
  await writeFile(path, '# mine\n');
  const own = { path, before: '# mine\n', after: '# mine\nlogLevel: info\n' };
  expect(await applyChanges(config, [own])).toEqual({ trusted: true, reload: null });
});

test('a configuration that another program makes meanwhile is not replaced', async () => {
  const { path, config } = await project('# theirs\n');
  const change = { path, before: undefined, after: 'logLevel: info\n' };
  await expect(applyChanges(config, [change])).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    message: `cannot change the files: ${path} has changed in the meantime; run the command again`,
  });
  expect(await readFile(path, 'utf8')).toBe('# theirs\n');
});
