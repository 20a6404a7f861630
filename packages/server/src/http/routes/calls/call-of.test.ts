import { expect, test } from 'vitest';
import { callOf } from './call-of.ts';

test('the fields of a call have one order, which the digest of the input in the log depends on', () => {
  const { call } = callOf({
    context: {},
    files: [{ path: 'a.bin', base64: 'AP8=' }],
    command: 'run.py',
    script: 'run.py',
    stdinBase64: 'AP8K',
    args: ['--all'],
    input: 1,
  });
  expect(Object.entries(call.input)).toEqual([
    ['input', 1],
    ['args', ['--all']],
    ['stdin', Buffer.from([0, 255, 10])],
    ['script', 'run.py'],
    ['command', 'run.py'],
    ['files', [{ path: 'a.bin', content: Buffer.from([0, 255]) }]],
    ['context', {}],
  ]);
});
