import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { isWhole } from '../../../../test/support/whole.ts';
import { describeIssues } from './issues.ts';
import { Sidecar } from './sidecar.ts';

const wordsOf = (schema: z.ZodType, value: unknown): string[] => {
  const { error } = schema.safeParse(value);
  return error === undefined ? [] : describeIssues(error, schema, value);
};

test.each<[z.ZodType, unknown, string]>([
  [z.int(), 'high', 'write a number, not "high"'],
  [z.int(), 1.5, 'write a whole number, not 1.5'],
  [z.array(z.string()), 'a', 'write a list, not a string'],
  [z.record(z.string(), z.string()), [], 'write a mapping, not a list'],
  [z.boolean(), null, 'write true or false, not null'],
  [z.enum(['json', 'command']), 'xml', 'write json or command, not "xml"'],
  [z.enum(['a', 'b', 'c']), 4, 'write a, b or c, not 4'],
  [z.literal('text'), 'x'.repeat(99), `write text, not "${'x'.repeat(40)}…"`],
  [z.string().min(1), '', 'write at least 1 character'],
  [z.array(z.string()).max(2), ['', '', ''], 'write at most 2 items'],
  [z.number().positive(), 0, 'must be greater than 0'],
  [z.int().max(16), 17, 'must be at most 16'],
  [z.union([z.string(), z.array(z.string())]), 4, 'write a string or a list, not a number'],
  [z.string().regex(/^a$/), 'b', 'write a string of the form /^a$/'],
  [z.string('of its own'), 1, 'of its own'],
])('%# describes a mistake and what to write instead', (schema, value, words) => {
  expect(wordsOf(z.object({ field: schema }), { field: value })).toEqual([`field: ${words}`]);
});

test('reports a missing field as missing', () => {
  expect(wordsOf(z.object({ a: z.object({ b: z.int() }) }), { a: {} })).toEqual([
    'a.b is missing; write a number',
  ]);
});

test('does not show a string in place of a mapping, because it can be a secret', () => {
  expect(
    wordsOf(z.object({ secrets: z.record(z.string(), z.object({})) }), { secrets: { A: 'hunter2' } }),
  ).toEqual(['secrets.A: write a mapping, not a string']);
});

test('never describes a sidecar in the words of the schema library', () => {
  const known = [
    'version',
    'phases',
    'priority',
    'tags',
    'requires',
    'conflicts',
    'context',
    'injection',
    'run',
    'type',
  ];
  const inRun = [
    'runtime',
    'entry',
    'protocol',
    'input',
    'capabilities',
    'limits',
    'network',
    'timeoutMs',
    'mode',
  ];
  const key = fc.constantFrom(...known, ...inRun);
  const { tree } = fc.letrec((tie) => ({
    leaf: fc.constantFrom<unknown>(null, true, -1, 1.5, '', 'x', 'process', 'wasm', 'A B', '-'),
    tree: fc.oneof(
      { depthSize: 'small' },
      tie('leaf'),
      fc.array(tie('tree'), { maxLength: 2 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...known), tree, { maxKeys: 5 }), (document) => {
      for (const sentence of wordsOf(Sidecar, document))
        expect(sentence).not.toMatch(/Invalid |Unrecognized|Too (big|small)|received|No matching/);
    }),
    { numRuns: isWhole ? 2000 : 200 },
  );
});
