import { type Denial, onlyNarrows } from '@ambit/core/policy';
import { expect, test } from 'vitest';
import { refused } from '../../testing/run-ambit.ts';
import { inCliTerms } from './cli-terms.ts';

const around = { skillId: 'x', cwd: '/work' };
const messageOf = (error: unknown, read?: string[]) =>
  (inCliTerms(error, { ...around, read }) as Error).message;

test.each([
  [
    'x uses protocol json: send "input" instead of "args" and "stdin"',
    'x uses protocol json: use --input instead of arguments and --stdin',
  ],
  [
    'x needs an "input": send a value that matches its input schema',
    'x needs input: add --input with JSON that matches its input schema',
  ],
  [
    'send either "command", or "script" and "args", not both',
    'use either --command, or --script and arguments after --, not both',
  ],
  ['invalid input for x: /a: write a string', 'invalid input for x: /a: write a string'],
])('names the options of the command: %s', (message, expected) => {
  expect(messageOf(refused('INPUT_INVALID', message))).toBe(expected);
});

test('names --read if it is wider than the grant, and leaves other denials unchanged', () => {
  const denial: Denial = {
    capability: 'filesystem.read',
    requested: '/srv',
    reason: onlyNarrows,
    remedy: '',
  };
  const refusal = (...denials: Denial[]) => refused('CAPABILITY_DENIED', 'why', { denials });
  expect(messageOf(refusal(denial), ['../srv'])).toBe(
    '--read /srv is outside the paths that x may read. Name a path within them, or omit --read',
  );
  expect(messageOf(refusal(denial, { ...denial, requested: '/etc' }), ['/srv'])).toBe('why');
  expect(messageOf(refusal({ ...denial, reason: 'is not granted' }), ['/srv'])).toBe('why');
});
