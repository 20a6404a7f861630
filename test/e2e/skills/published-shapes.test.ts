// Threat model: T368, T383, T414

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, httpClient, textOf } from '../support/mcp-client.ts';

const named = (name: string, more = '', description = 'Says hello.') => ({
  'SKILL.md': `---\nname: ${name}\ndescription: ${description}\n${more}---\nbody\n`,
  'scripts/run.sh': '#!/bin/sh\necho hello\n',
});

const sidecar =
  'run: { runtime: process, protocol: command, entry: scripts/run.sh, capabilities: { exec: [sh] } }\n';

let folder = '';

const shared = sharedDaemon(async (path) => {
  folder = path;
  await writeSkills(path, {
    listed: named('listed', 'metadata: { tags: [a, b], version: 1.5, author: me }\n'),
    'résumé-writer': named('résumé-writer'),
    数据: named('数据'),
    lower: named('lower'),
    both: { ...named('both'), 'skill.md': '---\nname: other\n---\n' },
    odd: named('odd'),
    plain: named('plain', 'allowed-tools: Bash(git add *) Bash( git commit  *), Read\n'),
    licensed: {
      ...named('licensed'),
      'SKILL.md': `<!-- SPDX-License-Identifier: MIT -->\n\n${named('licensed')['SKILL.md']}`,
    },
    loose: named('loose', 'argument-hint: [file] [format]\n', '[OLD] says hello\n  (7.x): use when asked'),
  });
  await rename(join(path, 'lower/SKILL.md'), join(path, 'lower/skill.md'));
  await rename(join(path, 'odd/SKILL.md'), join(path, 'odd/Skill.md'));
  const lists = '#!/bin/sh\ncd /skill && find . -type f | sort\n';
  await writeSkills(join(path, '../repository'), {
    '.': { ...named('router'), 'scripts/run.sh': lists },
    'skills/inner': { ...named('inner'), 'scripts/run.sh': lists },
    'examples/demo': { 'SKILL.md': named('demo')['SKILL.md'] },
  });
  return {
    skills: [
      { path, tier: 'local' },
      { path: join(path, '../repository'), tier: 'local' },
    ],
    bundledSkills: false,
  };
});

test('a folder that is a skill and has others below skills is several skills, each with its own files, also in the sandbox', async () => {
  const printed = async (id: string) => (await shared().execute(id, {})).body.outcome.output.stdout;
  const listed = async (id: string) =>
    (await shared().request('GET', `/skills/${id}/files`)).body.files.map(
      ({ path }: { path: string }) => path,
    );
  const router = ['SKILL.md', 'examples/demo/SKILL.md', 'scripts/run.sh'];
  expect([await listed('router'), await listed('inner')]).toEqual([router, ['SKILL.md', 'scripts/run.sh']]);
  expect(await printed('router')).toBe(router.map((path) => `./${path}\n`).join(''));
  expect(await printed('inner')).toBe('./SKILL.md\n./scripts/run.sh\n');
  const inside = await shared().request('GET', '/skills/router/files/skills/inner/SKILL.md');
  expect(inside.status).toBe(404);
});

test('published skills with common mistakes load with a warning and run', async () => {
  const { skills, broken } = (await shared().request('GET', '/skills')).body;
  const warningsOf = (id: string) => skills.find((skill: { id: string }) => skill.id === id)?.warnings;
  const ids: string[] = skills.map(({ id }: { id: string }) => id);
  expect(ids).toEqual([
    'both',
    'inner',
    'licensed',
    'listed',
    'loose',
    'lower',
    'plain',
    'resume-writer',
    'router',
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
  expect([warningsOf('both'), warningsOf('lower')]).toEqual([
    [],
    ['skill.md is read, but other tools only read SKILL.md; rename it'],
  ]);
  const location = async (id: string) =>
    /<location>(.*)<\/location>/.exec(
      (await shared().request('POST', '/prompt', { body: { only: [id] } })).body.prompt,
    )?.[1];
  expect(await Promise.all(['both', 'lower'].map(location))).toEqual([
    join(folder, 'both/SKILL.md'),
    join(folder, 'lower/skill.md'),
  ]);
  // Clients of the extension read the served file themselves.
  const listed = (await ask(await httpClient(shared(), 'modern'), 'skills/list', {}))['skills'];
  expect(listed.map(({ uri }: { uri: string }) => uri)).toEqual([
    'skill://both/SKILL.md',
    'skill://inner/SKILL.md',
    'skill://plain/SKILL.md',
    'skill://router/SKILL.md',
  ]);
  expect(warningsOf('resume-writer')).toEqual([
    'name "résumé-writer" is not 1–64 of a-z, 0-9 and single hyphens',
    "neither the name nor the folder's name is a valid id; the skill's id is resume-writer",
  ]);
  expect(broken).toEqual([
    expect.objectContaining({
      id: 'odd',
      problem: 'the folder contains Skill.md, which is ignored; rename it to SKILL.md',
    }),
  ]);
  expect((await ambit(['skills', 'review', join(folder, 'loose')])).stdout).toContain(
    '  warning: line 3: the value of description is read as text; write it in quotes\n',
  );
  for (const id of ids.filter((each) => each !== 'inner' && each !== 'router'))
    expect((await shared().execute(id, {})).body.outcome).toEqual({
      status: 'succeeded',
      output: { exitCode: 0, stdout: 'hello\n', stderr: '' },
    });
  expect((await ambit(['skills', 'validate', join(folder, 'lower')])).stdout).toContain(
    'the folder contains skill.md, which many tools ignore; rename it to SKILL.md',
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

describe('a skill that its author hides', () => {
  const run = { status: 'succeeded', output: { exitCode: 0, stdout: 'hello\n', stderr: '' } };
  const hidden = {
    deploy: 'disable-model-invocation: true\n',
    internal: 'metadata: { internal: true }\n',
    unclear: 'disable-model-invocation: perhaps\n',
    codex: 'disable-model-invocation: false\n',
    'codex-utf16': '',
    quiet: 'user-invocable: false\n',
    open: '',
  };
  const fromModels = ['codex', 'codex-utf16', 'deploy', 'internal', 'unclear'];
  const policy = (allowed: boolean) => `policy: { allow_implicit_invocation: ${allowed} }\n`;
  const restricted = sharedDaemon(async (path) => {
    await writeSkills(
      path,
      Object.fromEntries(
        Object.entries(hidden).map(([name, more]) => [name, { ...named(name, more), 'ambit.yaml': sidecar }]),
      ),
    );
    for (const name of ['codex', 'codex-utf16', 'open']) await mkdir(join(path, name, 'agents'));
    await writeFile(join(path, 'codex/agents/openai.yaml'), policy(false));
    await writeFile(join(path, 'open/agents/openai.yaml'), policy(true));
    await writeFile(join(path, 'codex-utf16/agents/openai.yaml'), `\uFEFF${policy(false)}`, 'utf16le');
    return { skills: [{ path, tier: 'local' }], bundledSkills: false };
  });
  const client = () => httpClient(restricted(), 'modern');

  test('from models is in no list of theirs, and MCP refuses it, for the same reason', async () => {
    const mcp = await client();
    const { tools } = await mcp.listTools();
    const names = tools.map(({ name }) => name);
    expect(Object.keys(hidden).filter((name) => names.includes(name))).toEqual(['quiet', 'open']);
    const { body } = await restricted().request('GET', '/tools');
    expect(body.tools.map(({ skill }: { skill: string }) => skill)).toEqual(['open', 'quiet']);
    expect(body.leftOut).toEqual(
      fromModels.map((skill) => ({ skill, why: 'its author hides it from models' })),
    );
    for (const name of fromModels) {
      const why = `${name} cannot be used: its author hides it from models. A person can run it`;
      const loaded = await mcp.callTool({ name: 'load_skill', arguments: { name } });
      expect([loaded.isError, textOf(loaded)]).toEqual([true, expect.stringContaining(why)]);
      const called = await mcp.callTool({ name, arguments: {} });
      expect([called.isError, textOf(called)]).toEqual([true, expect.stringContaining(why)]);
      await expect(mcp.readResource({ uri: `skill://${name}/SKILL.md` })).rejects.toThrow();
    }
    expect(textOf(await mcp.callTool({ name: 'open', arguments: {} }))).toContain('hello');
  });

  test('from models is in no prompt, unless the request names it', async () => {
    const selected = async (body: object) =>
      (await restricted().request('POST', '/prompt', { body })).body.skills.map(
        ({ id }: { id: string }) => id,
      );
    expect(await selected({})).toEqual(['open', 'quiet']);
    expect(await selected({ include: ['deploy'] })).toEqual(['deploy', 'open', 'quiet']);
  });

  test('from menus is no prompt of MCP, and models can call it', async () => {
    const mcp = await client();
    const { prompts } = await mcp.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['open']);
    expect(textOf(await mcp.callTool({ name: 'quiet', arguments: {} }))).toContain('hello');
  });

  test.each(Object.keys(hidden))('%s: a person calls it over HTTP', async (id) => {
    expect((await restricted().execute(id, {})).body.outcome).toEqual(run);
  });

  test('names who does not see it', async () => {
    const { skills } = (await restricted().request('GET', '/skills')).body;
    expect(
      skills.map(({ id, hiddenFrom }: { id: string; hiddenFrom?: string[] }) => [id, hiddenFrom]),
    ).toEqual([
      ['codex', ['models']],
      ['codex-utf16', ['models']],
      ['deploy', ['models']],
      ['internal', ['models']],
      ['open', undefined],
      ['quiet', ['menus']],
      ['unclear', ['models']],
    ]);
  });
});
