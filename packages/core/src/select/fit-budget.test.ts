import { describe, expect, test } from 'vitest';
import { aSkill } from '../testing/a-skill.ts';
import { skillSelector } from './skill-selector.ts';

describe('a budget', () => {
  const skills = ['aa', 'bbbb', 'c'].map((body) => aSkill(body.slice(0, 1), {}, { body }));
  const select = skillSelector({ skills }, (text) => text.length);

  test('fits each skill entirely or not at all, and nothing after the first that does not fit', () => {
    const { skills: selected, leftOut } = select({ budgetTokens: 5 });
    expect(selected.map(({ skill, tokens }) => [skill.id, tokens])).toEqual([['a', 2]]);
    expect(leftOut).toEqual([
      { id: 'b', reason: { kind: 'budget', tokens: 4, tokensLeft: 3 } },
      { id: 'c', reason: { kind: 'budget', tokens: null, tokensLeft: 3 } },
    ]);
  });

  test.each<[string, unknown, string[], string[]]>([
    ['that is just enough fits everything', 6, ['a', 'b'], []],
    ['of 0 fits nothing', 0, [], []],
    ['of infinity is no limit', Number.POSITIVE_INFINITY, ['a', 'b', 'c'], []],
    ['below 0 is no limit, with a warning', -1, ['a', 'b', 'c'], ['-1']],
    ['that is NaN is no limit, with a warning', Number.NaN, ['a', 'b', 'c'], ['NaN']],
    ['that is text is no limit, with a warning', '100', ['a', 'b', 'c'], ['"100"']],
    ['that is null is no limit, with a warning', null, ['a', 'b', 'c'], ['null']],
  ])('%s', (_, budgetTokens, expected, warned) => {
    const { skills: selected, warnings } = select({ budgetTokens: budgetTokens as number });
    expect(selected.map(({ skill }) => skill.id)).toEqual(expected);
    expect(warnings).toEqual(
      warned.map((shown) => `the token budget ${shown} is ignored; write a number of 0 or more`),
    );
  });

  test('counts each body once, also across selectors that share the counts', () => {
    const texts: string[] = [];
    const count = (text: string): number => texts.push(text);
    const counted = new WeakMap();
    const first = skillSelector({ skills }, count, counted);
    first({});
    expect(texts).toEqual([]);
    first({ budgetTokens: 100 });
    first({ budgetTokens: 50 });
    skillSelector(
      { skills: [...skills, aSkill('d', {}, { body: 'd' })] },
      count,
      counted,
    )({ budgetTokens: 100 });
    expect(texts).toEqual(['aa', 'bbbb', 'c', 'd']);
  });
});
