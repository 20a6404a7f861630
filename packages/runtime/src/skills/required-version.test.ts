import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asToolSkill } from '@ambit/core/execute';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { readSkillFolder } from './folder/read-skill-folder.ts';
import { requiredVersion } from './required-version.ts';

test('a version is read from a file of the skill, and not from a file outside that a link leads to', async () => {
  const folder = await temporaryFolder();
  const outside = join(folder, 'outside');
  const project = '[project]\nrequires-python = ">=3.99"\n';
  await writeFile(outside, project);
  const required = async (name: string, place: (path: string) => Promise<unknown>) => {
    const root = join(folder, name);
    await mkdir(root);
    await writeFile(join(root, 'SKILL.md'), `---\nname: ${name}\ndescription: d\n---\n`);
    await writeFile(join(root, 'run.py'), 'print(1)\n');
    await place(join(root, 'pyproject.toml'));
    const { skill } = await readSkillFolder(root, 'local');
    const tool = asToolSkill(skill);
    return tool && requiredVersion(tool, 'python3');
  };
  expect(await required('own', (path) => writeFile(path, project))).toEqual({
    program: 'python3',
    range: '>=3.99',
    file: 'pyproject.toml',
  });
  // Longer than the file: of a link, as many bytes are listed as its target has.
  const long = `${'./'.repeat(100)}../outside`;
  expect(await required('linked', (path) => symlink(long, path))).toBeUndefined();
});
