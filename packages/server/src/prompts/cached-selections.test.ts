import type { Selection, SelectionRequest } from '@ambit/core';
import { expect, test } from 'vitest';
import { cachedSelections } from './cached-selections.ts';

function counted() {
  const asked: SelectionRequest[] = [];
  const select = cachedSelections((request) => {
    asked.push(request);
    return { context: [], number: asked.length } as unknown as Selection;
  });
  return { select, asked };
}

test('equal requests share a selection, and fields that select nothing do not count', () => {
  const { select, asked } = counted();
  const prompt = { phase: 'plan', systemPrompt: 'You plan.' };
  const first = select({ phase: 'plan', tags: ['a'] });
  expect(select({ tags: ['a'], phase: 'plan' })).toBe(first);
  expect(select({ ...prompt, tags: ['a'] })).toBe(first);
  expect(asked).toHaveLength(1);
});

test('a request that differs in any field gets a selection of its own', () => {
  const { select, asked } = counted();
  const requests: SelectionRequest[] = [
    ...[{}, { phase: 'a' }, { agent: 'a' }, { tags: ['a'] }, { campaign: 'a' }, { section: 'a' }],
    ...[{ only: ['a'] }, { include: ['a'] }, { exclude: ['a'] }, { only: [] }],
    ...[0, 1, Number.NaN, Number.POSITIVE_INFINITY].map((budgetTokens) => ({ budgetTokens })),
    { mcpServers: { a: { command: 'a' } } },
  ];
  for (const request of [...requests, ...requests]) select(request);
  expect(asked).toEqual(requests);
});

test('caches only the latest requests, and no long one', () => {
  const { select, asked } = counted();
  const phases = Array.from({ length: 17 }, (_, index) => ({ phase: `${index}` }));
  for (const request of phases) select(request);
  select({ phase: '16' });
  expect(asked).toHaveLength(17);
  select({ phase: '0' });
  expect(asked).toHaveLength(18);
  for (const times of [19, 20]) {
    select({ phase: 'x'.repeat(3000) });
    expect(asked).toHaveLength(times);
  }
});
