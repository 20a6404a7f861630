import { expect, test } from 'vitest';
import { iterationPrompt } from './iteration-prompt.ts';

test('a composed prompt goes before the monolithic one', () => {
  expect(iterationPrompt('all', { phase: 'plan', iteration: 1, skillsPrompt: 'composed\n' })).toBe(
    'composed\n',
  );
});

test.each([undefined, null, '', ' \n'])(
  'with %j for a composed prompt the monolithic one is taken',
  (skillsPrompt) => {
    expect(iterationPrompt('all', { phase: 'plan', iteration: 2, skillsPrompt })).toBe('all');
    expect(iterationPrompt('all')).toBe('all');
  },
);
