// Threat model: T129

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('skills with expensive YAML are refused with the limit, and other skills run', async () => {
  const root = await temporaryFolder();
  const hostile = {
    aliases: `tags: &a []\nconflicts: [${'*a, '.repeat(17)}]\n`,
    brackets: 'tags: '.padEnd(60_000, '['),
    keys: Array.from({ length: 9000 }, (_, at) => `k${at}:`).join('\n'),
  };
  await writeSkills(root, {
    ...Object.fromEntries(Object.entries(hostile).map(([name, yaml]) => [name, { 'ambit.yaml': yaml }])),
    neighbour: pythonSkill('print(json.dumps(given))'),
  });
  const daemon = await startDaemon({ skills: [{ path: root, tier: 'local' }], discoveredSkills: false });
  const refusals = await Promise.all(
    Object.keys(hostile).map(async (name) => (await daemon.execute(name, { input: {} })).body),
  );
  const limit = (name: string, what: string) => ({
    code: 'SKILL_INVALID',
    detail: expect.stringContaining(`${name} cannot be used: ambit.yaml ${what}`),
  });
  expect(refusals).toMatchObject([
    limit('aliases', 'has more than 16 YAML aliases'),
    limit('brackets', 'is nested more than 64 deep'),
    limit('keys', 'has more than 5000 YAML tokens'),
  ]);
  expect((await daemon.execute('neighbour', { input: { a: 1 } })).body.outcome).toEqual({
    status: 'succeeded',
    output: { a: 1 },
  });
});

test("control characters in a skill's YAML never reach the terminal", async () => {
  const folder = await temporaryFolder();
  // The parser does not know this tag and would print a warning with it.
  const skillMd = '---\nname: loud\ndescription: d\nlicense: !<\u001b[31mred> MIT\n---\n';
  await writeSkills(join(folder, 'skills'), { loud: { 'SKILL.md': skillMd } });
  const config = join(folder, 'ambit.config.yaml');
  await writeFile(config, JSON.stringify({ skills: [{ path: './skills', tier: 'local' }] }));
  const run = (...words: string[]) => ambit([...words, '--config', config], { cwd: folder });
  expect(await run('skills', 'list')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('loud'),
    stderr: '',
  });
  const validated = await run('skills', 'validate', join(folder, 'skills/loud'));
  expect(validated).toMatchObject({ code: 0, stderr: '' });
  expect(validated.stdout).not.toContain('\u001b');
  expect(validated.stdout).toContain('SKILL.md:4: YAML: Unresolved tag: ');
});
