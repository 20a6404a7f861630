// Threat model: T35

import { chmod, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/daemon.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';

test('a skill writes a granted project, but neither its configuration nor its skills', async () => {
  const project = await projectWith((folder) => folder);
  expect(await written(project, join(project, 'new.txt'))).toBe('True');
  expect(await readFile(join(project, 'new.txt'), 'utf8')).toBe('planted');
  expect(await written(project, join(project, 'ambit.config.yaml'))).toBe('Read-only file system');
  expect(await written(project, join(project, 'skills/writer/SKILL.md'))).toBe('Read-only file system');
  expect(await readdir(project)).toEqual(expect.arrayContaining(['ambit.config.yaml', 'new.txt', 'skills']));
});

test('no skill writes the trust store in a granted folder; other files in the folder are writable', async () => {
  const project = await projectWith((folder) => folder);
  const env = { XDG_DATA_HOME: join(project, 'share') };
  const store = join(project, 'share/ambit/trusted');
  expect(await written(project, join(project, 'new.txt'), env)).toContain(
    `contains ${store}, which Ambit would trust and which does not exist: create it`,
  );
  const elsewhere = await temporaryFolder();
  await writeFile(join(elsewhere, 'ambit.config.yaml'), '');
  await ambit(['trust', '--yes'], { cwd: elsewhere, env });
  // If this user is root, skills run as another user.
  for (const folder of [dirname(dirname(store)), dirname(store)]) await chmod(folder, 0o777);
  expect(await written(project, join(project, 'share/ambit/new.txt'), env)).toBe('True');
  expect(await written(project, join(store, 'forged.json'), env)).toMatch(
    /^(Read-only file system|Permission denied)$/,
  );
  expect((await readdir(store)).length).toBe(1);
});

test("no skill writes Ambit's program, its bundle or its packages", async () => {
  const bundles = join(repository, 'packages/server/node_modules/.cache');
  for (const granted of [repository, bundles]) {
    const project = await projectWith(() => granted);
    expect(await written(project, join(bundles, 'planted.mjs'))).toBe(
      `ambit: CAPABILITY_DENIED: writer did not run: the granted path ${granted} belongs to Ambit: skills never write the configuration, a skill or the program`,
    );
  }
});

/** A project with a skill that writes and a configuration that grants it a folder, and no other files of Ambit. */
async function projectWith(granted: (project: string) => string): Promise<string> {
  const project = await realpath(await temporaryFolder());
  const body = `try:
  open(given, "w").write("planted"); print(json.dumps("True"))
except OSError as error:
  print(json.dumps(error.strerror))`;
  const run = { capabilities: { exec: ['python3'], filesystem: { write: ['granted'] } } };
  await writeSkills(join(project, 'skills'), { writer: pythonSkill(body, run) });
  const grants = { writer: { filesystem: { write: [granted(project)] } } };
  const config = { skills: [{ path: './skills', tier: 'local' }], grants };
  await writeFile(join(project, 'ambit.config.yaml'), JSON.stringify(config));
  await mkdir(join(project, '.ambit'), { mode: 0o700 });
  // If this user is root, skills run as another user.
  for (const path of ['.', 'skills', 'skills/writer']) await chmod(join(project, path), 0o777);
  for (const path of ['ambit.config.yaml', 'skills/writer/SKILL.md']) await chmod(join(project, path), 0o666);
  return project;
}

/** The result of writing: the skill's output, or the reason of the refusal. */
async function written(project: string, file: string, env: Record<string, string> = {}): Promise<string> {
  const stdin = JSON.stringify(file);
  const { code, stdout, stderr } = await ambit(
    ['run', 'writer', '--config', 'ambit.config.yaml', '--input', '-'],
    { cwd: project, stdin, env },
  );
  return code === 0 ? JSON.parse(stdout) : stderr.split('\n', 1).join();
}
