// Threat model: T37

import { chmod, mkdir, readdir, readFile, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';

describe('a skill with write access above a project', () => {
  test("cannot move folders that contain Ambit's own files, and can move others", async () => {
    const { above, project } = await projectBelow();
    const beside = join(above, 'team/beside');
    for (const folder of [project, dirname(project)])
      expect(await moved(project, folder)).toBe('Device or resource busy');
    expect(await moved(project, beside)).toBe('True');
    expect((await readdir(join(above, 'team'))).toSorted()).toEqual(['beside.away', 'project']);
    expect(await readFile(join(project, 'ambit.config.yaml'), 'utf8')).toContain('mover');
  });

  test.each(['ambit.config.yaml', 'skills', '.ambit'])('is refused if %s is a link', async (name) => {
    const { above, project } = await projectBelow();
    const kept = join(await realpath(await temporaryFolder()), name);
    const link = join(project, name);
    await rename(link, kept);
    await symlink(kept, link);
    expect(await moved(project, link)).toBe(
      `ambit: CAPABILITY_DENIED: mover did not run: the granted path ${above} contains ${link}, a symlink to a path of Ambit's own: configure the real path instead, so that Ambit can protect it`,
    );
  });
});

/** A project two folders below a folder that its skill may write. */
async function projectBelow(): Promise<{ above: string; project: string }> {
  const above = await realpath(await temporaryFolder());
  const project = join(above, 'team/project');
  await mkdir(join(project, '.ambit'), { recursive: true, mode: 0o700 });
  await mkdir(join(above, 'team/beside'));
  const body = `try:
  os.rename(given, given + ".away"); print(json.dumps("True"))
except OSError as error:
  print(json.dumps(error.strerror))`;
  const run = { capabilities: { exec: ['python3'], filesystem: { write: ['granted'] } } };
  await writeSkills(join(project, 'skills'), { mover: pythonSkill(body, run) });
  const grants = { mover: { filesystem: { write: [above] } } };
  const config = { skills: [{ path: './skills', tier: 'local' }], grants };
  await writeFile(join(project, 'ambit.config.yaml'), JSON.stringify(config));
  // If this user is root, skills run as another user.
  for (const path of ['.', 'team', 'team/project']) await chmod(join(above, path), 0o777);
  return { above, project };
}

/** The result of moving a path: the skill's output, or the reason of the refusal. */
async function moved(project: string, what: string): Promise<string> {
  const stdin = JSON.stringify(what);
  const { code, stdout, stderr } = await ambit(
    ['run', 'mover', '--config', 'ambit.config.yaml', '--input', '-'],
    { cwd: project, stdin },
  );
  return code === 0 ? JSON.parse(stdout) : stderr.split('\n', 1).join();
}
