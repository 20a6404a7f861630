import { expect, test } from 'vitest';
import { listeners } from './listeners.ts';

test('an actor has at most 64 listeners; leaving frees a slot once, and other actors have their own', () => {
  const { join } = listeners();
  const leave = Array.from({ length: 64 }, () => join('ada'));
  expect(leave.every((each) => each !== undefined)).toBe(true);
  expect(join('ada')).toBeUndefined();
  expect(join('eve')).toBeDefined();
  leave[0]?.();
  leave[0]?.();
  expect(join('ada')).toBeDefined();
  expect(join('ada')).toBeUndefined();
});
