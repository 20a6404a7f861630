import { expect, test } from 'vitest';
import { iterationPrompt } from './iteration-prompt.ts';

test('a composed prompt takes precedence over the monolithic one', () => {
  expect(iterationPrompt('all', { phase: 'plan', iteration: 1, skillsPrompt: 'composed\n' })).toBe(
    'composed\n',
  );
});

test.each([undefined, null, '', ' \n'])(
  'the monolithic prompt is used if the composed one is %j',
  (skillsPrompt) => {
    expect(iterationPrompt('all', { phase: 'plan', iteration: 2, skillsPrompt })).toBe('all');
    expect(iterationPrompt('all')).toBe('all');
  },
);
