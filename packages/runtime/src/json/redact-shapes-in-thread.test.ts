// Threat model: T281, T282

import { expect, onTestFinished, test } from 'vitest';
import { redactStored } from '../secrets/secret-shapes.ts';
import { jsonThread } from './json-thread.ts';
import { redactShapesInThread } from './redact-shapes-in-thread.ts';

test('redacts a long text in the JSON thread and a short one in the calling thread, with the same result', async () => {
  const json = jsonThread();
  onTestFinished(() => json.close());
  const inThread: number[] = [];
  const redactor = redactShapesInThread({
    redactStored(text) {
      inThread.push(text.length);
      return json.redactStored(text);
    },
  });
  const [short = '', long = ''] = [10, 4000].map((times) =>
    '{"password":"swordfish","b":"\\n\ud83d","c":1}'.repeat(times),
  );
  for (const text of [short, long]) {
    const redacted = await redactor.redact(text);
    expect(redacted).toBe(redactStored(text));
    expect(redacted).not.toContain('swordfish');
  }
  expect(inThread).toEqual([long.length]);
});
