// Threat model: T126, T131

import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit, trust } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';

const outline = {
  'SKILL.md': '---\nname: outline\ndescription: Plans.\n---\nWrite the plan to plan.md & stop.\n',
  'ambit.yaml': 'phases: [plan]\ntools: [Write]\ncontext: [{ type: file, path: goal.md }]\n',
};
const anyone = { 'SKILL.md': '---\nname: anyone\ndescription: Always of use.\n---\nBe brief.\n' };
const tests = {
  'SKILL.md': '---\nname: tests\ndescription: Tests.\n---\nTest first.\n',
  'ambit.yaml': 'phases: [implement]\n',
};

async function world(config: object = {}) {
  const skills = await realpath(await temporaryFolder());
  await writeSkills(skills, { outline, anyone, tests });
  return {
    skills,
    config: {
      skills: [{ path: skills, tier: 'local' }],
      bundledSkills: false,
      phases: { Plan: { tools: ['Read', 'Write', 'mcp__tracker__save'], required: ['mcp__tracker__save'] } },
      ...config,
    },
  };
}

const metadata = (skills: string, name: string, description: string) =>
  `<skill><name>${name}</name><description>${description}</description><location>${skills}/${name}/SKILL.md</location></skill>`;

test("the daemon composes the prompt of a phase, with the agent's tools and the reasons", async () => {
  const { skills, config } = await world();
  const daemon = await startDaemon(config);
  const { status, body } = await daemon.request('POST', '/prompt', {
    body: { phase: 'PLAN', systemPrompt: '<identity>I plan.</identity>', active: ['outline'], explain: true },
  });
  const prompt = `<identity>I plan.</identity>

<skills>
<skill name="outline">Write the plan to plan.md &amp; stop.</skill>
</skills>

<available_skills>
${metadata(skills, 'anyone', 'Always of use.')}
${metadata(skills, 'outline', 'Plans.')}
</available_skills>`;
  expect({
    status,
    prompt: body.prompt,
    parts: body.parts.map(({ text }: { text: string }) => text).join(''),
  }).toEqual({
    status: 200,
    prompt,
    parts: prompt,
  });
  expect(body).toEqual({
    prompt,
    tokens: body.parts.reduce((sum: number, { tokens }: { tokens: number }) => sum + tokens, 0),
    skills: [
      {
        id: 'anyone',
        version: null,
        digest: expect.stringMatching(/^sha256:/),
        because: 'is for every phase',
      },
      {
        id: 'outline',
        version: null,
        digest: expect.stringMatching(/^sha256:/),
        because: 'is for the phase plan',
      },
    ],
    tools: {
      allowed: ['Write', 'mcp__tracker__save'],
      withheld: ['Read'],
      beyondPhase: [],
      from: 'configured',
    },
    mcpServers: { servers: {}, origins: {}, refused: [] },
    warnings: [],
    parts: expect.any(Array),
    leftOut: [
      { id: 'tests', what: 'skill', because: 'tests is only for the phase implement' },
      { id: 'anyone', what: 'body', because: 'anyone is listed but not active' },
    ],
  });
});

test('the next prompt includes an edit of a skill', async () => {
  const { skills, config } = await world();
  const daemon = await startDaemon(config);
  const compose = async () =>
    (
      await daemon.request('POST', '/prompt', {
        body: { disclosure: 'bodies', format: 'plain', include: [] },
      })
    ).body.prompt;
  expect(await compose()).toBe('Be brief.\n\n\nWrite the plan to plan.md & stop.\n\n\nTest first.\n');
  await writeFile(join(skills, 'anyone/SKILL.md'), '---\nname: anyone\ndescription: d\n---\nBe long.\n');
  expect(await compose()).toBe('Be long.\n\n\nWrite the plan to plan.md & stop.\n\n\nTest first.\n');
});

test("an agent's own skills are first in its index in the configured order, over HTTP and on the command line", async () => {
  const { skills, config } = await world({ agents: { dev: { skills: ['tests', 'outline'] } } });
  const daemon = await startDaemon(config);
  const index = `AVAILABLE SKILLS (consult when relevant using Read tool):
  tests: tests — Tests.
    → ${skills}/tests/SKILL.md
  outline: outline — Plans.
    → ${skills}/outline/SKILL.md
  anyone: anyone — Always of use.
    → ${skills}/anyone/SKILL.md`;
  const { body } = await daemon.request('POST', '/prompt', {
    body: { agent: 'dev', disclosure: 'index', explain: true },
  });
  expect(body.prompt).toBe(index);
  expect(body.parts.map((part: { because: string }) => part.because)).toEqual([
    ...['is configured for the agent dev', 'is configured for the agent dev', 'is for every phase'],
  ]);
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'ambit.config.yaml'), JSON.stringify(config));
  await trust(folder);
  const printed = await ambit(['prompt', '--agent', 'dev', '--show', 'index'], { cwd: folder });
  expect(printed.stdout).toBe(index);
});

test('a prompt has the number of the turn, or is the fallback if nothing is composed', async () => {
  const { config } = await world();
  const daemon = await startDaemon(config);
  const compose = async (body: object) =>
    (await daemon.request('POST', '/prompt', { body: { only: [], iteration: 3, ...body } })).body;
  const fallbackPrompt = 'Turn {{iteration}}.';
  expect((await compose({ systemPrompt: 'Turn {{iteration}}.', fallbackPrompt: 'x' })).prompt).toBe(
    'Turn 3.',
  );
  expect(await compose({ fallbackPrompt, explain: true })).toMatchObject({
    prompt: 'Turn {{iteration}}.',
    parts: [{ origin: 'fallback prompt', text: 'Turn {{iteration}}.' }],
  });
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'ambit.config.yaml'), JSON.stringify(config));
  await trust(folder);
  const words = ['prompt', '--only', 'anyone', '--exclude', 'anyone', '--iteration', '3', '--fallback', '-'];
  expect((await ambit(words, { cwd: folder, stdin: 'All of it.\n' })).stdout).toBe('All of it.\n');
  expect(await ambit(['prompt', '--iteration', '0'], { cwd: folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Write a number of 1 or more.'),
  });
});

test('a phase that is not configured has no tools and names the configured phases', async () => {
  const { config } = await world();
  const daemon = await startDaemon(config);
  const { body } = await daemon.request('POST', '/prompt', { body: { phase: 'deploy' } });
  expect({ tools: body.tools, warnings: body.warnings, skills: body.skills.length }).toEqual({
    tools: { allowed: [], withheld: [], beyondPhase: [], from: 'unknown-phase' },
    warnings: [
      'no skill names the phase "deploy"; the skills name: implement, plan',
      'the phase "deploy" is not configured, so it has no tools; configured phases: Plan',
    ],
    skills: 1,
  });
});

test('the catalog lists the skills of a phase', async () => {
  const { config } = await world();
  const daemon = await startDaemon(config);
  const ids = async (query: string) =>
    (await daemon.request('GET', `/skills${query}`)).body.skills.map(({ id }: { id: string }) => id);
  expect([await ids('?phase=plan'), await ids('?phase=plan&q=plans'), await ids('')]).toEqual([
    ['anyone', 'outline'],
    ['outline'],
    ['anyone', 'outline', 'tests'],
  ]);
});

describe('context is gathered', () => {
  test('only below the folders that the operator named', async () => {
    const project = await temporaryFolder();
    const elsewhere = await temporaryFolder();
    for (const folder of [project, elsewhere]) await writeFile(join(folder, 'goal.md'), 'Win.\n');
    await symlink(elsewhere, join(project, 'link'));
    const { config } = await world({ contextRoots: [project] });
    const daemon = await startDaemon(config);
    const compose = (root: string) =>
      daemon.request('POST', '/prompt', { body: { phase: 'plan', disclosure: 'bodies', context: { root } } });

    const { body } = await compose(project);
    expect(body.prompt).toContain('## Files\n\n### goal.md\n\n```\nWin.\n```');
    for (const root of [elsewhere, join(project, 'link'), join(project, '..'), join(project, 'none'), '/']) {
      expect(await compose(root)).toMatchObject({
        status: 403,
        body: {
          code: 'CAPABILITY_DENIED',
          detail: `context root "${root}" is not below contextRoots or does not exist. To allow it: contextRoots: ["${root}"]`,
        },
      });
    }
    expect((await daemon.audit('?outcome=denied')).length).toBe(5);
  });

  test('nowhere without such folders', async () => {
    const { config } = await world();
    const daemon = await startDaemon(config);
    const { status } = await daemon.request('POST', '/prompt', { body: { context: { root: '/' } } });
    expect(status).toBe(403);
  });
});

test('a cycle of required skills is an error that names them, and excluding one resolves it', async () => {
  const { skills, config } = await world();
  for (const [id, other] of [
    ['egg', 'hen'],
    ['hen', 'egg'],
  ] as const) {
    await writeSkills(skills, {
      [id]: {
        'SKILL.md': `---\nname: ${id}\ndescription: d\n---\n`,
        'ambit.yaml': `version: 1.0.0\nrequires: { ${other}: ^1.0.0 }\n`,
      },
    });
  }
  const daemon = await startDaemon(config);
  expect(await daemon.request('POST', '/prompt', { body: {} })).toMatchObject({
    status: 422,
    body: { code: 'SKILL_CYCLE', detail: expect.stringContaining('egg → hen → egg') },
  });
  const { body } = await daemon.request('POST', '/prompt', { body: { exclude: ['hen'], explain: true } });
  expect(body.skills.map(({ id }: { id: string }) => id)).toEqual(['anyone', 'outline', 'tests']);
});

test('invalid requests are refused, and each mistake is named', async () => {
  const { config } = await world();
  const daemon = await startDaemon(config);
  expect(
    await daemon.request('POST', '/prompt', {
      body: { phases: ['plan'], budgetTokens: -1, context: { root: 'x' } },
    }),
  ).toMatchObject({
    status: 400,
    body: {
      code: 'REQUEST_INVALID',
      issues: [
        { at: '/budgetTokens', message: expect.stringContaining('budgetTokens') },
        { at: '/context/root', message: 'context.root: must be an absolute path' },
        { at: '', message: 'unknown field "phases" (did you mean phase?)' },
      ],
    },
  });
});

describe('the command line', () => {
  test('prints the same prompt, its explanation, and the settings of an agent', async () => {
    const { skills, config } = await world();
    const folder = await temporaryFolder();
    await mkdir(join(folder, '.agents'), { recursive: true });
    await writeFile(join(folder, 'ambit.config.yaml'), JSON.stringify(config));
    await trust(folder);
    const prompt = await ambit(['prompt', '--phase', 'plan'], { cwd: folder });
    expect(prompt).toEqual({
      code: 0,
      stdout: `<available_skills>\n${metadata(skills, 'anyone', 'Always of use.')}\n${metadata(skills, 'outline', 'Plans.')}\n</available_skills>`,
      stderr: '',
    });
    const explained = await ambit(['prompt', '--phase', 'plan', '--explain'], { cwd: folder });
    expect(explained.stdout).toMatch(/^\d+ tokens, \d+ characters, 2 parts\n/);
    expect(explained.stdout).toContain('skill tests: only for the phase implement');
    expect(explained.stdout).toContain('allowed: Write, mcp__tracker__save');
    const { stdout } = await ambit(['prompt', '--phase', 'plan', '--for', 'claude-code', '--json'], {
      cwd: folder,
    });
    const { settings } = JSON.parse(stdout);
    expect(settings.args).toContain('--strict-mcp-config');
  });

  test("finds skills in .agents/skills as untrusted, and they never take another skill's name", async () => {
    const { skills, config } = await world({ bundledSkills: true });
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'ambit.config.yaml'), JSON.stringify(config));
    await trust(folder);
    await writeSkills(join(folder, '.agents/skills'), {
      mine: {
        'SKILL.md': '---\nname: mine\ndescription: Mine.\n---\nHi.\n',
        'scripts/run.sh': '#!/bin/sh\necho hi\n',
      },
      anyone: { 'SKILL.md': '---\nname: anyone\ndescription: Not the one.\n---\nEvil.\n' },
    });
    const { stdout } = await ambit(['skills', 'list', '--json'], { cwd: folder });
    const found = JSON.parse(stdout);
    expect(found.skills.find(({ id }: { id: string }) => id === 'mine')).toMatchObject({ tier: 'untrusted' });
    expect(found.skills.find(({ id }: { id: string }) => id === 'anyone').root).toBe(join(skills, 'anyone'));
    expect(found.broken).toMatchObject([
      { id: 'anyone', root: join(await realpath(folder), '.agents/skills/anyone') },
    ]);
    const refused = await ambit(['run', 'mine'], { cwd: folder });
    expect({ code: refused.code, stderr: refused.stderr.split('\n', 1)[0] }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/^ambit: CAPABILITY_DENIED: /),
    });
  });
});
