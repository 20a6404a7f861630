import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isWhole } from '../../../../test/support/whole.ts';
import { plainFields } from './plain-fields.ts';

test('reads plain lines as fields', () => {
  const text = `# a skill
name: csv-profile
description: Profiles a table (columns, types); use it, "always", when an import fails. It’s 100% sure!

version: 1.20.0
priority: 40
phases: [plan, test-first]
metadata:
  author: ada

  rank: 7
license: MIT
`;
  expect(plainFields(text)).toEqual({
    name: 'csv-profile',
    description: 'Profiles a table (columns, types); use it, "always", when an import fails. It’s 100% sure!',
    version: '1.20.0',
    priority: 40,
    phases: ['plan', 'test-first'],
    metadata: { author: 'ada', rank: 7 },
    license: 'MIT',
  });
});

test.each([
  ['a colon and a blank in a value', 'a: b: c'],
  ['a colon at the end', 'a: b:'],
  ['a comment after a value', 'a: b #c'],
  ['quotes', 'a: "b"'],
  ['a value that is not a string', 'a: True'],
  ['a number with a decimal point', 'a: 1.0'],
  ['a number that begins with 0', 'a: 010'],
  ['a duplicate field', 'a: b\na: c'],
  ['a value on the following lines', 'a:\n  b c'],
  ['a field without a value', 'a:\nb: c'],
  ['a field without a value at the end', 'b: c\na:'],
  ['fields two levels deep', 'a:\n  b:\n    c: d'],
  ['two indentations', 'a:\n  b: c\n d: e'],
  ['a list of lines', 'a:\n  - b'],
  ['a value that continues', 'a: b\n  c'],
  ['an alias', 'a: *b'],
  ['a list of something other than words', 'a: [b, 1]'],
  ['an empty list', 'a: []'],
  ['a tab', 'a: b\tc'],
  ['a document without fields', '# nothing\n'],
  ['two documents', 'a: b\n---\na: c'],
])('leaves everything else to the parser: %s', (_, text) => {
  expect(plainFields(text)).toBe(undefined);
});

const piece = fc.oneof(
  fc.constantFrom(
    ...'aBé01-:# ,[]{}"\'&*!|>%@`~.\t\r…\u2028?',
    ...['12', ': ', ' #', '  ', 'null', 'true', 'No', '1e3', '1.2.0', '.inf', '0x1'],
  ),
  fc.string({ maxLength: 3 }),
);
const value = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
const line = fc
  .tuple(
    fc.constantFrom('a', 'b', 'a-b', 'A_1', 'on', 'null'),
    fc.constantFrom(': ', ':', ':  ', ': '),
    value,
  )
  .map((parts) => parts.join(''));
const document = fc
  .array(fc.oneof({ weight: 4, arbitrary: line }, value), { maxLength: 4 })
  .map((lines) => lines.join('\n'));

test('agrees with the parser on everything that it reads', () => {
  fc.assert(
    fc.property(document, (text) => {
      const fields = plainFields(text);
      if (fields !== undefined) expect(parse(text)).toEqual(fields);
    }),
    { numRuns: isWhole ? 20_000 : 1000 },
  );
});
