// Threat model: T286

import { expect, test } from 'vitest';
import { someResult } from '../../testing/some-result.ts';
import { executeAnswer, executeResult } from './execute.ts';

const result = (content: Uint8Array) =>
  someResult(
    { status: 'succeeded', output: null },
    { files: [{ path: 'a', change: 'created', bytes: content.length, content }] },
  );

test.each([
  ['text', 'as text', Buffer.from('plain "text"\r\n\tand \u001b[1mbold\u001b[0m, 30 letters of it'), 'text'],
  ['a byte order mark', 'as text', Buffer.from('\uFEFFa'), 'text'],
  ['bytes that are not UTF-8', 'in base64', Buffer.from([0xff]), 'base64'],
  // As JSON text it would be six times as long.
  ['control characters', 'in base64', Buffer.alloc(100, 1), 'base64'],
] as const)('sends a file of %s %s, and reads it back unchanged', (_, __, content, as) => {
  const answer = executeAnswer(result(content));
  expect(answer.files).toEqual([
    {
      path: 'a',
      change: 'created',
      bytes: content.length,
      [as]: content.toString(as === 'text' ? 'utf8' : as),
    },
  ]);
  expect(executeResult(answer)).toEqual(result(content));
});
