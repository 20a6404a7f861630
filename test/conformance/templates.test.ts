// The features of wreckit's prompt templates and of agentium's iteration context that users rely on.
import { describe, expect, test } from 'vitest';
import { composePrompt, selectSkills } from '../../packages/core/src/index.ts';
import { fillTemplate, iterationPrompt } from '../../packages/core/src/prompt.ts';
import { aSkill } from '../../packages/core/src/testing/a-skill.ts';

test('replaces {{name}} by its value and shows the content of {{#if name}} if it has one', () => {
  const template =
    'On {{title}}{{#if branch}}, branch {{branch}}{{/if}}{{#if pr_url}}, see {{pr_url}}{{/if}}.';
  expect(fillTemplate(template, { title: 'Import', branch: 'wr-7', pr_url: '' })).toBe(
    'On Import, branch wr-7.',
  );
});

test('expands templates in a system prompt and not in a skill', () => {
  const selection = selectSkills({ skills: [aSkill('a', {}, { body: 'Keep {{title}}.' })] }, {});
  const { prompt } = composePrompt({
    systemPrompt: '<identity>{{title}}</identity>',
    selection,
    active: ['a'],
    disclosure: 'bodies',
    variables: { title: 'Import' },
  });
  expect(prompt).toBe(
    '<identity>Import</identity>\n\n<skills>\n<skill name="a">Keep {{title}}.</skill>\n</skills>',
  );
});

describe('an iteration', () => {
  const skills = [aSkill('scope', { priority: 5 }), aSkill('build', { phases: ['BUILD'] })];
  const bodies = (phase?: string): string =>
    composePrompt({
      systemPrompt: '',
      selection: selectSkills({ skills }, { phase }),
      disclosure: 'bodies',
      format: 'plain',
    }).prompt;
  const monolithic = bodies();

  test('uses the prompt composed for an iteration', () => {
    const skillsPrompt = bodies('REVIEW');
    expect(iterationPrompt(monolithic, { phase: 'REVIEW', iteration: 2, skillsPrompt })).toBe('# scope\n');
  });

  test.each([undefined, '', null])(
    'uses the monolithic prompt for an iteration without one: %j',
    (skillsPrompt) => {
      expect(iterationPrompt(monolithic, { phase: 'REVIEW', iteration: 2, skillsPrompt })).toBe(monolithic);
      expect(iterationPrompt(monolithic)).toBe('# scope\n\n\n# build\n');
    },
  );
});
