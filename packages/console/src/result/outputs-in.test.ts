import { expect, test } from 'vitest';
import { outputsIn } from './outputs-in.ts';

const out = (text: string) => ({ name: 'Standard output', text, isBytes: false });

test('a stored output of a program is shown stream by stream', () => {
  expect(outputsIn('{"exitCode":0,"stdout":"a\\nb\\n","stderr":""}', false)).toEqual([out('a\nb\n')]);
  expect(outputsIn('{"stdout":"one\\n","stderr":"two"}', false)).toEqual([
    out('one\n'),
    { name: 'Standard error', text: 'two', isBytes: false },
  ]);
  expect(outputsIn('{"exitCode":0,"encoding":"base64","stdout":"AP8=","stderr":""}', false)).toEqual([
    { name: 'Standard output', text: 'AP8=', isBytes: true },
  ]);
});

test.each([
  '{"exitCode":0,"stdout":"a\\nb',
  '{"exitCode":0,"stdout":"a\\nb\\',
  '{"exitCode":0,"stdout":"a\\nb\\u00',
])('an output that was cut has its beginning: %s', (text) => {
  expect(outputsIn(text, true)).toEqual([out('a\nb')]);
});

test.each(['{"output":1}', '"text"', '{"stdout":""}', '{"stdout":"a","found":1}', 'no JSON'])(
  'another payload is shown unchanged: %s',
  (text) => {
    expect(outputsIn(text, false)).toBeUndefined();
    expect(outputsIn(text, true)).toBeUndefined();
  },
);
