import { expect, test } from 'vitest';
import { ageText, timeText } from './time.ts';

test.each([
  [0, 'now'],
  [1500, 'now'],
  [-3100, '3 seconds ago'],
  [-86_400_000, '1 day ago'],
  [2 * 3_600_000 + 1500, 'in 2 hours'],
])('writes an instant %d ms from now as %s, with seconds by which clocks may differ', (ms, text) => {
  expect(ageText(Date.now() + ms)).toBe(text);
});

test("writes an instant in the reader's time zone, with its date unless that is today", () => {
  const noon = new Date().setHours(12, 3, 4, 0);
  expect([timeText(noon), timeText(new Date(2024, 1, 29, 23, 59, 59).getTime())]).toEqual([
    '12:03:04',
    '2024-02-29 23:59:59',
  ]);
});
