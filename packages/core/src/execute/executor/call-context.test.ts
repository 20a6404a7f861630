import { expect, test } from 'vitest';
import { CallContext, recall } from './call-context.ts';

const memory = [
  'The user prefers tabs',
  { text: 'the deployment runs on Fridays', at: '2026-01-01' },
  'On Fridays the user is away; nothing is deployed: Straße',
];

test('recalls entries with words of the query, most words first, with all their fields', () => {
  expect(recall({ memory }, 'user FRIDAYS')).toEqual([memory[2], memory[0], memory[1]]);
  expect(recall({ memory }, 'straße')).toEqual([memory[2]]);
  expect(recall({ memory }, 'nothing-at-all tabs')).toEqual([memory[0], memory[2]]);
});

test('recalls the first twenty entries for a query without words', () => {
  expect(recall({ memory }, ' … ')).toEqual(memory);
  const many = Array.from({ length: 30 }, (_, index) => `entry ${index}`);
  expect(recall({ memory: many }, '')).toEqual(many.slice(0, 20));
});

test('recalls nothing without a memory or without a matching word', () => {
  expect(recall({}, 'user')).toEqual([]);
  expect(recall({ memory }, 'purple')).toEqual([]);
});

test('accepts any context, but only a list of texts as memory', () => {
  const context = { phase: 'plan', memory, nested: { any: [1] } };
  expect(CallContext.parse(context)).toEqual(context);
  expect(CallContext.safeParse({ memory: [{ note: 'no text' }] }).success).toBe(false);
});

test('refuses a memory that would block other calls', () => {
  const fits = { memory: Array.from({ length: 1000 }, () => 'x'.repeat(262)) };
  expect(CallContext.safeParse(fits).success).toBe(true);
  expect(CallContext.safeParse({ memory: [...fits.memory, ''] }).success).toBe(false);
  expect(CallContext.safeParse({ memory: ['x'.repeat(262_145)] }).success).toBe(false);
});
