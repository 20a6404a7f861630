// Threat model: T35, T37, T444

import { chmod, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ambit, repository } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const write = 'open(given, "w").write("planted")';
const move = 'os.rename(given, given + ".away")';

test('a skill writes a granted project, but neither its configuration nor its skills', async () => {
  const project = await temporaryFolder();
  await makeProject(project, write, project);
  expect(await attempted(project, join(project, 'new.txt'))).toBe('True');
  expect(await readFile(join(project, 'new.txt'), 'utf8')).toBe('planted');
  expect(await attempted(project, join(project, 'ambit.config.yaml'))).toBe('Read-only file system');
  expect(await attempted(project, join(project, 'skills/changer/SKILL.md'))).toBe('Read-only file system');
  expect(await readdir(project)).toEqual(expect.arrayContaining(['ambit.config.yaml', 'new.txt', 'skills']));
});

test('no skill writes the trust store in a granted folder; other files in the folder are writable', async () => {
  const project = await temporaryFolder();
  await makeProject(project, write, project);
  const env = { XDG_DATA_HOME: join(project, 'share') };
  const store = join(project, 'share/ambit/trusted');
  expect(await attempted(project, join(project, 'new.txt'), env)).toContain(
    `contains ${store}, which Ambit would trust and which does not exist: create it`,
  );
  const elsewhere = await temporaryFolder({ 'ambit.config.yaml': '' });
  await ambit(['trust', '--yes'], { cwd: elsewhere, env });
  // If this user is root, skills run as another user.
  for (const folder of [dirname(dirname(store)), dirname(store)]) await chmod(folder, 0o777);
  expect(await attempted(project, join(project, 'share/ambit/new.txt'), env)).toBe('True');
  expect(await attempted(project, join(store, 'forged.json'), env)).toMatch(
    /^(Read-only file system|Permission denied)$/,
  );
  expect((await readdir(store)).length).toBe(1);
});

test("no skill sees the user's data directory, or another project's, in a granted folder", async () => {
  const project = await temporaryFolder({ 'other/.claude/skills/.keep': '' });
  const env = { XDG_DATA_HOME: join(project, 'share') };
  const [own, others] = [join(project, 'share/ambit/data'), join(project, 'other/.ambit')];
  for (const cwd of [await temporaryFolder(), dirname(others)])
    expect(await ambit(['key', 'create', 'bot', '--scope', 'metrics'], { cwd, env })).toMatchObject({
      code: 0,
    });
  // From here, the folder above the other project is one too.
  await makeProject(project, write, project);
  // If this user is root, skills run as another user.
  for (const folder of ['share', 'share/ambit', 'share/ambit/data', 'other', 'other/.ambit'])
    await chmod(join(project, folder), 0o777);
  for (const dataDir of [own, others]) {
    expect(await attempted(project, join(dataDir, 'daemon.json'), env)).toBe('Permission denied');
    expect(await attempted(project, join(dirname(dataDir), 'new.txt'), env)).toBe('True');
    expect(await readdir(dataDir)).toEqual(expect.arrayContaining(['keys.db', 'trust-mark']));
    expect(await readdir(dataDir)).not.toContain('daemon.json');
  }
});

test("no skill writes the user's own configuration in a granted folder, creates it, or writes what it links to", async () => {
  const project = await temporaryFolder();
  await makeProject(project, write, project);
  const env = { XDG_CONFIG_HOME: join(project, 'settings') };
  const folder = join(project, 'settings/ambit');
  const missing = `contains ${folder}, which Ambit would trust and which does not exist: create it`;
  expect(await attempted(project, join(project, 'new.txt'), env)).toContain(missing);
  // If this user is root, skills run as another user.
  await mkdir(folder, { recursive: true });
  for (const path of [dirname(folder), folder]) await chmod(path, 0o777);
  expect(await attempted(project, join(dirname(folder), 'new.txt'), env)).toBe('True');
  expect(await attempted(project, join(folder, 'ambit.config.yaml'), env)).toBe('Read-only file system');
  expect(await readdir(folder)).toEqual([]);
  // A link into a repository of settings.
  const linked = join(project, 'linked.yaml');
  await writeFile(linked, '');
  await chmod(linked, 0o666);
  await symlink(linked, join(folder, 'ambit.config.yaml'));
  expect(await attempted(project, linked, env)).toBe('Read-only file system');
  expect(await readFile(linked, 'utf8')).toBe('');
});

test("no skill writes Ambit's program, its bundle or its packages", async () => {
  const bundles = join(repository, 'packages/server/node_modules/.cache');
  for (const granted of [repository, bundles]) {
    const project = await temporaryFolder();
    await makeProject(project, write, granted);
    expect(await attempted(project, join(bundles, 'planted.mjs'))).toBe(
      `ambit: CAPABILITY_DENIED: changer did not run: the granted path ${granted} belongs to Ambit: skills never write the configuration, a skill or the program`,
    );
  }
});

describe('a skill with write access above a project', () => {
  test("cannot move folders that contain Ambit's own files, and can move others", async () => {
    const { above, project } = await projectBelow();
    for (const folder of [project, dirname(project)])
      expect(await attempted(project, folder)).toBe('Device or resource busy');
    expect(await attempted(project, join(above, 'team/beside'))).toBe('True');
    expect((await readdir(join(above, 'team'))).toSorted()).toEqual(['beside.away', 'project']);
    expect(await readFile(join(project, 'ambit.config.yaml'), 'utf8')).toContain('changer');
  });

  test.each(['ambit.config.yaml', 'skills', '.ambit'])('is refused if %s is a link', async (name) => {
    const { above, project } = await projectBelow();
    const kept = join(await temporaryFolder(), name);
    const link = join(project, name);
    await rename(link, kept);
    await symlink(kept, link);
    expect(await attempted(project, link)).toBe(
      `ambit: CAPABILITY_DENIED: changer did not run: the granted path ${above} contains ${link}, a symlink to a path of Ambit's own: configure the real path instead, so that Ambit can protect it`,
    );
  });
});

/** A project two folders below a folder in which its skill may move folders. */
async function projectBelow(): Promise<{ above: string; project: string }> {
  const above = await temporaryFolder();
  const project = join(above, 'team/project');
  await mkdir(join(above, 'team/beside'), { recursive: true });
  await makeProject(project, move, above);
  for (const path of ['.', 'team']) await chmod(join(above, path), 0o777);
  return { above, project };
}

/** Makes a project with a configuration and a skill, which makes a change and may write to a folder. */
async function makeProject(project: string, change: string, granted: string): Promise<void> {
  const body = `try:
  ${change}; print(json.dumps("True"))
except OSError as error:
  print(json.dumps(error.strerror))`;
  const run = { capabilities: { exec: ['python3'], filesystem: { write: ['granted'] } } };
  await mkdir(join(project, '.ambit'), { recursive: true, mode: 0o700 });
  await writeSkills(join(project, 'skills'), { changer: pythonSkill(body, run) });
  const grants = { changer: { filesystem: { write: [granted] } } };
  const config = { skills: [{ path: './skills', tier: 'local' }], grants };
  await writeFile(join(project, 'ambit.config.yaml'), JSON.stringify(config));
  // If this user is root, skills run as another user.
  for (const path of ['.', 'skills', 'skills/changer']) await chmod(join(project, path), 0o777);
  for (const path of ['ambit.config.yaml', 'skills/changer/SKILL.md'])
    await chmod(join(project, path), 0o666);
}

/** The result of a change: the skill's output, or the reason of the refusal. */
async function attempted(project: string, path: string, env: Record<string, string> = {}): Promise<string> {
  const stdin = JSON.stringify(path);
  const { code, stdout, stderr } = await ambit(
    ['run', 'changer', '--config', 'ambit.config.yaml', '--input', '-'],
    { cwd: project, stdin, env },
  );
  return code === 0 ? JSON.parse(stdout) : stderr.split('\n', 1).join();
}
