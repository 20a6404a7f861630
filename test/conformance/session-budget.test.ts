// The features of iSDLC's session budget that its users rely on.
import { expect, test } from 'vitest';
import { fitSections } from '../../packages/core/src/prompt.ts';

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const options = { cut: 'at-line', countTokens: words, marker: '[cut]' } as const;

const sections = [
  { id: 'notes', priority: 90, text: 'five six\n' },
  { id: 'rules', priority: 10, text: 'one two\n' },
  { id: 'guide', priority: 50, text: 'a b\nc d\ne f\n' },
];

test('orders sections by priority, cuts the first that exceeds the budget at a line with a marker, and skips the rest', () => {
  expect(fitSections(sections, 7, options)).toEqual({
    included: [
      { id: 'rules', text: 'one two\n', tokens: 2, isCut: false },
      { id: 'guide', text: 'a b\nc d\n[cut]', tokens: 5, isCut: true },
    ],
    skipped: [{ id: 'notes', tokens: 2 }],
    warnings: [],
  });
});

test.each([Number.NaN, -5, 'lots' as unknown as number])(
  'treats the invalid budget %j as unlimited',
  (budget) => {
    const { included, skipped, warnings } = fitSections(sections, budget, options);
    expect([included.map(({ id }) => id), skipped, warnings.length]).toEqual([
      ['rules', 'guide', 'notes'],
      [],
      1,
    ]);
    expect(fitSections(sections, undefined, options).warnings).toEqual([]);
  },
);
