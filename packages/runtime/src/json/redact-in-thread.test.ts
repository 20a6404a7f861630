import { expect, onTestFinished, test } from 'vitest';
import { redactionList } from '../secrets/redaction-list.ts';
import { jsonThread } from './json-thread.ts';
import { redactInThread } from './redact-in-thread.ts';

test('redacts a long text in the JSON thread and a short one in the calling thread, with the same result', async () => {
  const json = jsonThread();
  onTestFinished(() => json.close());
  const secrets = redactionList();
  secrets.add('sw0rdfish-2Lm5Rt7Wz');
  const inline: number[] = [];
  const observed = {
    ...secrets,
    redact: (text: string) => {
      inline.push(text.length);
      return secrets.redact(text);
    },
  };
  const redactor = redactInThread(observed, json);
  const [short, long] = [10, 4000].map((times) =>
    '{"a":"sw0rdfish-2Lm5Rt7Wz","b":"\\n\ud83d","c":1}'.repeat(times),
  );
  for (const text of [short, long]) {
    const redacted = await redactor.redact(String(text));
    expect(redacted).toBe(secrets.redact(String(text)));
    expect(redacted).not.toContain('sw0rdfish-2Lm5Rt7Wz');
  }
  expect(inline).toEqual([short?.length]);
  secrets.add('tr0ut-8Jq2Lm5Rt7Wz');
  expect(await redactor.redact(`${long} tr0ut-8Jq2Lm5Rt7Wz`)).not.toContain('tr0ut-8Jq2Lm5Rt7Wz');
});
