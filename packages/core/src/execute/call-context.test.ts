import { expect, test } from 'vitest';
import { CallContext, recall } from './call-context.ts';

const memory = [
  'The user prefers tabs',
  { text: 'the deployment runs on Fridays', at: '2026-01-01' },
  'On Fridays the user is away; nothing is deployed: Straße',
];

test('what is recalled has the words of the query, the most first, with all that belongs to it', () => {
  expect(recall({ memory }, 'user FRIDAYS')).toEqual([memory[2], memory[0], memory[1]]);
  expect(recall({ memory }, 'straße')).toEqual([memory[2]]);
  expect(recall({ memory }, 'nothing-at-all tabs')).toEqual([memory[0], memory[2]]);
});

test('a query without words is about everything, and at most twenty are recalled', () => {
  expect(recall({ memory }, ' … ')).toEqual(memory);
  const many = Array.from({ length: 30 }, (_, index) => `entry ${index}`);
  expect(recall({ memory: many }, '')).toEqual(many.slice(0, 20));
});

test('where there is no memory, or no word of it is meant, nothing is recalled', () => {
  expect(recall({}, 'user')).toEqual([]);
  expect(recall({ memory }, 'purple')).toEqual([]);
});

test('a context holds whatever the caller likes, but a memory is a list of texts', () => {
  const context = { phase: 'plan', memory, nested: { any: [1] } };
  expect(CallContext.parse(context)).toEqual(context);
  expect(CallContext.safeParse({ memory: [{ note: 'no text' }] }).success).toBe(false);
});

test('a memory that would hold up others is refused', () => {
  const fits = { memory: Array.from({ length: 1000 }, () => 'x'.repeat(262)) };
  expect(CallContext.safeParse(fits).success).toBe(true);
  expect(CallContext.safeParse({ memory: [...fits.memory, ''] }).success).toBe(false);
  expect(CallContext.safeParse({ memory: ['x'.repeat(262_145)] }).success).toBe(false);
});
