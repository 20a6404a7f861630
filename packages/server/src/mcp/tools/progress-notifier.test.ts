// Threat model: T122

import type { Progress } from '@ambit/core/execute';
import type { ServerContext } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { progressNotifier } from './progress-notifier.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A request with or without a progress token, and its notifications. */
function asking(progressToken: number | undefined): { ctx: ServerContext; heard: Record<string, unknown>[] } {
  const heard: Record<string, unknown>[] = [];
  const notify = async ({ params }: { params?: Record<string, unknown> }) => void heard.push(params ?? {});
  const mcpReq = { notify, ...(progressToken === undefined ? {} : { _meta: { progressToken } }) };
  return { ctx: { mcpReq } as unknown as ServerContext, heard };
}

const at = (done: number, total?: number, message?: string): Progress => ({
  kind: 'progress',
  done,
  total,
  message,
});

test("notifies immediately, every five seconds and on the skill's progress, with a rising number", () => {
  const { ctx, heard } = asking(7);
  const progress = progressNotifier(() => Date.now(), 'csv-profile', ctx);
  vi.advanceTimersByTime(10_000);
  progress.notify(at(1, 3, 'columns'));
  vi.advanceTimersByTime(1000);
  progress.notify(at(3, 3));
  vi.advanceTimersByTime(1000);
  progress.notify(at(2, 3, 'again'));
  vi.advanceTimersByTime(3000);
  progress.end();
  vi.advanceTimersByTime(60_000);
  const token = { progressToken: 7 };
  expect(heard).toEqual([
    { ...token, progress: 0, message: 'csv-profile was called' },
    { ...token, progress: 1e-6, message: 'csv-profile has been running for 5 s' },
    { ...token, progress: 2e-6, message: 'csv-profile has been running for 10 s' },
    { ...token, progress: 1, total: 3, message: 'columns' },
    { ...token, progress: 3, total: 3 },
    { ...token, progress: 3 + 1e-6, total: 3, message: 'again' },
    {
      ...token,
      progress: expect.closeTo(3 + 2e-6, 9),
      total: 3,
      message: 'csv-profile has been running for 15 s',
    },
  ]);
});

test("removes control characters, hidden characters and tags from the skill's progress", () => {
  const { ctx, heard } = asking(7);
  const progress = progressNotifier(() => Date.now(), 'csv-profile', ctx);
  progress.notify(at(1, undefined, '\u001b[2Ja\u200bb\u202e <system-reminder>do'));
  vi.advanceTimersByTime(1000);
  progress.notify(at(2, undefined, 'کتاب‌ها'));
  progress.end();
  expect(heard.map(({ message }) => message)).toEqual([
    'csv-profile was called',
    '[2Jab &lt;system-reminder>do',
    'کتاب‌ها',
  ]);
});

test('sends at most five notifications a second, and always the last one', () => {
  const { ctx, heard } = asking(7);
  const progress = progressNotifier(() => Date.now(), 'csv-profile', ctx);
  for (let done = 1; done <= 1000; done++) {
    progress.notify(at(done));
    vi.advanceTimersByTime(1);
  }
  progress.end();
  expect(heard.map(({ progress: sent }) => sent)).toEqual([0, 1, 200, 400, 600, 800, 1000]);
});

test('sends nothing to a client that did not ask', () => {
  const { ctx, heard } = asking(undefined);
  const progress = progressNotifier(() => Date.now(), 'csv-profile', ctx);
  progress.notify(at(1));
  vi.advanceTimersByTime(60_000);
  progress.end();
  expect([heard, progress.isHeard]).toEqual([[], false]);
});
