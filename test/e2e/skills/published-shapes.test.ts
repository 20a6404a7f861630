import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, httpClient } from '../support/mcp-client.ts';

const named = (name: string, more = '', description = 'Says hello.') => ({
  'SKILL.md': `---\nname: ${name}\ndescription: ${description}\n${more}---\nbody\n`,
  'scripts/run.sh': '#!/bin/sh\necho hello\n',
});

let folder = '';

const shared = sharedDaemon(async (path) => {
  folder = path;
  await writeSkills(path, {
    listed: named('listed', 'metadata: { tags: [a, b], version: 1.5, author: me }\n'),
    'résumé-writer': named('résumé-writer'),
    数据: named('数据'),
    lower: named('lower'),
    plain: named('plain', 'allowed-tools: Bash(git add *) Bash( git commit  *), Read\n'),
    licensed: {
      ...named('licensed'),
      'SKILL.md': `<!-- SPDX-License-Identifier: MIT -->\n\n${named('licensed')['SKILL.md']}`,
    },
    loose: named('loose', 'argument-hint: [file] [format]\n', '[OLD] says hello\n  (7.x): use when asked'),
  });
  await rename(join(path, 'lower/SKILL.md'), join(path, 'lower/skill.md'));
  return { skills: [{ path, tier: 'local' }], bundledSkills: false };
});

test('published skills with common mistakes load with a warning and run', async () => {
  const { skills, broken } = (await shared().request('GET', '/skills')).body;
  const warningsOf = (id: string) => skills.find((skill: { id: string }) => skill.id === id)?.warnings;
  const ids: string[] = skills.map(({ id }: { id: string }) => id);
  expect(ids).toEqual([
    'licensed',
    'listed',
    'loose',
    'plain',
    'resume-writer',
    expect.stringMatching(/^skill-[0-9a-f]{8}$/),
  ]);
  expect(warningsOf('listed')).toEqual([
    'metadata has values that are not strings: tags (a list), version (a number). They are read as strings; quote them',
  ]);
  expect(skills.find(({ id }: { id: string }) => id === 'loose')).toMatchObject({
    description: '[OLD] says hello (7.x): use when asked',
    warnings: [
      'the frontmatter is not YAML: text follows a value that has ended; quote the whole value at line 3, column 20',
      'line 3: the value of description is read as text; write it in quotes',
      'line 5: the value of argument-hint is read as text; write it in quotes',
    ],
  });
  expect(warningsOf('licensed')).toEqual([
    'the frontmatter starts on line 3, where other tools do not find it; move what is above it below it',
  ]);
  expect((await shared().request('GET', '/skills/plain')).body.allowedTools).toEqual([
    'Bash(git add *)',
    'Bash(git commit *)',
    'Read',
  ]);
  // Clients of the extension read the served file themselves.
  const listed = (await ask(await httpClient(shared(), 'modern'), 'skills/list', {}))['skills'];
  expect(listed.map(({ uri }: { uri: string }) => uri)).toEqual(['skill://plain/SKILL.md']);
  expect(warningsOf('resume-writer')).toEqual([
    'name "résumé-writer" is not 1–64 of a-z, 0-9 and single hyphens',
    "neither the name nor the folder's name is a valid id; the skill's id is resume-writer",
  ]);
  expect(broken).toEqual([
    expect.objectContaining({
      id: 'lower',
      problem: 'the folder contains skill.md, which is ignored; rename it to SKILL.md',
    }),
  ]);
  for (const id of ids)
    expect((await shared().execute(id, {})).body.outcome).toEqual({
      status: 'succeeded',
      output: { exitCode: 0, stdout: 'hello\n', stderr: '' },
    });
  expect((await ambit(['skills', 'validate', join(folder, 'lower')])).stdout).toContain(
    'the folder contains skill.md, which is ignored; rename it to SKILL.md',
  );
});

test('schema mistakes have the same wording in a sidecar, a configuration and a request', async () => {
  const cwd = await temporaryFolder();
  await writeSkills(cwd, { a: { 'ambit.yaml': 'priority: high\n' } });
  await writeFile(join(cwd, 'wrong.yaml'), 'bodyLimitBytes: high\n');
  expect((await ambit(['skills', 'validate', 'a'], { cwd })).stdout).toContain(
    'ambit.yaml:1: priority: write a number, not "high"',
  );
  expect((await ambit(['config', '--config', 'wrong.yaml'], { cwd })).stderr).toContain(
    'bodyLimitBytes: write a number, not "high"',
  );
  const { status, body } = await shared().execute('listed', { limits: { timeoutMs: 'high' } });
  expect({ status, detail: body.detail }).toEqual({
    status: 400,
    detail: 'limits.timeoutMs: write a number, not "high"',
  });
});
