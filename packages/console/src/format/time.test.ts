import { expect, test } from 'vitest';
import { ageText } from './time.ts';

test.each([
  [0, 'now'],
  [1500, 'now'],
  [-3100, '3 seconds ago'],
  [2 * 3_600_000 + 1500, 'in 2 hours'],
])('writes an instant %d ms from now as %s, with seconds by which clocks may differ', (ms, text) => {
  expect(ageText(Date.now() + ms)).toBe(text);
});
