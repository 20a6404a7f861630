import { join } from 'node:path';
import { PromptBody } from '@ambit/api';
import { composePrompt, selectSkills } from '@ambit/core';
import { promptAnswer } from '@ambit/server/wire';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { type CliEnvironment, runAmbit, skill } from '../testing/run-ambit.ts';

/** Runs a line over two skills and stores the requested prompts. */
async function prompt(line: string | readonly string[], around: CliEnvironment = {}) {
  const asked: PromptBody[] = [];
  const ran = await runAmbit(line, {
    ...around,
    client: {
      prompt: async (request) => {
        const body = PromptBody.parse(request);
        asked.push(body);
        const selection = selectSkills({ skills: [skill('a'), skill('b')] }, body);
        const { systemPrompt, active } = body;
        const composition = composePrompt({ systemPrompt, selection, active });
        return promptAnswer({ selection, composition, settings: undefined }, body);
      },
    },
  });
  return { ...ran, asked };
}

const plain: PromptBody = {
  systemPrompt: '',
  disclosure: 'metadata',
  format: 'xml',
  cut: 'whole',
  explain: false,
};

describe('the command line becomes the prompt request', () => {
  test('without options: every skill', async () => {
    expect((await prompt('prompt')).asked).toEqual([plain]);
  });

  test('with selection options', async () => {
    const line =
      'prompt --phase plan --agent dev --tag x --tag y --campaign c --section s --only c --include a --include b --exclude d --budget 0';
    expect((await prompt(line)).asked).toEqual([
      {
        ...plain,
        phase: 'plan',
        agent: 'dev',
        tags: ['x', 'y'],
        campaign: 'c',
        section: 's',
        only: ['c'],
        include: ['a', 'b'],
        exclude: ['d'],
        budgetTokens: 0,
      },
    ]);
  });

  test('with system prompt and format options', async () => {
    const line = [
      ...['prompt', '--system', '-', '--active', 'a', '--show', 'index', '--plain', '--var', 'title=x=y'],
      ...['--max-tokens', '50', '--cut', '--for', 'aider', '--model', 'm', '--explain'],
    ];
    expect((await prompt(line, { stdin: 'Hi {{title}}' })).asked).toEqual([
      {
        systemPrompt: 'Hi {{title}}',
        active: ['a'],
        disclosure: 'index',
        format: 'plain',
        cut: 'at-line',
        variables: { title: 'x=y' },
        promptTokens: 50,
        for: 'aider',
        model: 'm',
        explain: true,
      },
    ]);
  });

  test('with context paths resolved from the current folder', async () => {
    const cwd = await temporaryFolder({ 'item.json': '{"id":7}' });
    const { asked } = await prompt('prompt --root . --item item.json --item-folder work/7', { cwd });
    expect(asked).toEqual([
      { ...plain, context: { root: cwd, item: { id: 7 }, itemFolder: join(cwd, 'work/7') } },
    ]);
  });
});

test('prints the prompt to stdout unchanged, and warnings to stderr', async () => {
  const { exitCode, stdout, stderr } = await prompt('prompt --phase plan --system - --active z', {
    stdin: 'Hi\u001b',
  });
  expect({ exitCode, start: stdout.slice(0, 24), stderr }).toEqual({
    exitCode: 0,
    start: 'Hi\u001b\n\n<available_skills>\n',
    stderr:
      'warning: the phase "plan" is not configured, so it has no tools; no phases are configured\n' +
      'warning: z is in "active", but no skill has that id\n',
  });
});

test('an empty prompt is reported on stderr', async () => {
  const { stdout, stderr } = await prompt('prompt --only nosuch');
  expect([stdout, stderr]).toEqual([
    '',
    'warning: nosuch is named in "only", but no skill has that id\nThe prompt is empty: no skill is selected.\n',
  ]);
});

describe('an invalid command line is refused, and nothing is composed', () => {
  test.each([
    ['prompt --budget -1', /Write a number of tokens, 0 or more\./],
    ['prompt --show all', /Allowed choices are metadata, index, bodies\./],
    ['prompt --for emacs', /Allowed choices are claude-code, /],
    ['prompt --var x', /USAGE_INVALID: --var x has no value: write --var NAME=VALUE\n/],
    ['prompt --item i.json', /USAGE_INVALID: --item and --item-folder need --root, the project folder\n/],
    [
      'prompt --root . --system - --item -',
      /USAGE_INVALID: stdin can be read only once: use "-" for only one of --system, --item and --fallback\n/,
    ],
    ['prompt --root . --item -', /USAGE_INVALID: stdin is not valid JSON: /],
  ])('%s', async (line, message) => {
    const { exitCode, stdout, stderr, asked } = await prompt(line, { stdin: '{' });
    expect({ exitCode, stdout, asked }).toEqual({ exitCode: 2, stdout: '', asked: [] });
    expect(stderr).toMatch(message);
  });
});
