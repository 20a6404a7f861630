import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../testing/arbitrary-text.ts';
import { fitSections } from './fit-sections.ts';

const byCharacter = { countTokens: (text: string) => text.length };
const sections = [
  { id: 'late', text: 'late', priority: 90 },
  { id: 'first', text: 'one\ntwo\nthree', priority: 1 },
  { id: 'usual', text: 'usual' },
];

test('a section that just fits is included, and none after the first that does not', () => {
  expect(fitSections(sections, 18, byCharacter).included.map(({ id }) => id)).toEqual(['first', 'usual']);
  expect(fitSections(sections, 17, byCharacter)).toMatchObject({
    included: [{ id: 'first' }],
    skipped: [
      { id: 'usual', tokens: 5 },
      { id: 'late', tokens: 4 },
    ],
  });
});

test('a budget of 0 keeps nothing, and an infinite one everything', () => {
  expect(fitSections(sections, 0, byCharacter).included).toEqual([]);
  expect(fitSections(sections, Number.POSITIVE_INFINITY, byCharacter)).toMatchObject({
    skipped: [],
    warnings: [],
  });
});

test('included sections never exceed the budget, and a larger budget never includes less', () => {
  const anySections = fc.array(fc.record({ text: anyText, priority: fc.integer({ min: 0, max: 3 }) }));
  const cut = fc.constantFrom('whole' as const, 'at-line' as const);
  fc.assert(
    fc.property(anySections, fc.nat(200), fc.nat(50), cut, (given, budget, more, how) => {
      const all = given.map((section, index) => ({ ...section, id: String(index) }));
      for (const countTokens of [undefined, byCharacter.countTokens]) {
        const options = { cut: how, countTokens, marker: '…' };
        const fitted = fitSections(all, budget, options);
        expect(fitted.included.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(budget);
        expect(fitted.included.length + fitted.skipped.length).toBe(all.length);
        const ids = fitSections(all, budget + more, options).included.map(({ id }) => id);
        expect(ids.slice(0, fitted.included.length)).toEqual(fitted.included.map(({ id }) => id));
      }
    }),
  );
});
