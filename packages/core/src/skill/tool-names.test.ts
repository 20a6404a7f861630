import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolNames } from './tool-names.ts';

test.each([
  ['', []],
  [' , ', []],
  ['Read Grep', ['Read', 'Grep']],
  ['Read,Grep', ['Read', 'Grep']],
  ['Bash(git add *) Bash(git commit *), Read', ['Bash(git add *)', 'Bash(git commit *)', 'Read']],
  ['Bash(git add *)Bash(git commit *),Read', ['Bash(git add *)', 'Bash(git commit *)', 'Read']],
  [
    ' Bash (  git   add\t* )\n  Bash(git commit *) ,, Read ',
    ['Bash(git add *)', 'Bash(git commit *)', 'Read'],
  ],
  ['Bash(echo (a) b, c) Read', ['Bash(echo (a) b, c)', 'Read']],
  ['Bash(git add Read', ['Bash(git add Read']],
  ['Bash(a)) Read', ['Bash(a)', 'Read']],
  ['(a) Read', ['(a)', 'Read']],
])('%j has the tools %j', (text, tools) => {
  expect(toolNames(text)).toEqual(tools);
});

test('its tools, joined with commas, are the same tools', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '(', ')', ',', ' ', '\n', '*') });
  fc.assert(
    fc.property(text, (written) => {
      const tools = toolNames(written);
      expect(toolNames(tools.join(', '))).toEqual(tools);
    }),
    { numRuns: 300, seed: 41 },
  );
});
