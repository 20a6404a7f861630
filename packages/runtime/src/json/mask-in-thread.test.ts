import { expect, onTestFinished, test } from 'vitest';
import { secretCover } from '../secrets/cover/secret-cover.ts';
import { jsonThread } from './json-thread.ts';
import { maskInThread } from './mask-in-thread.ts';

test('a long text is covered in the thread, a short one here, and both alike', async () => {
  const json = jsonThread();
  onTestFinished(() => json.close());
  const secrets = secretCover();
  secrets.learn('swordfish');
  const here: number[] = [];
  const watched = {
    ...secrets,
    cover: (text: string) => {
      here.push(text.length);
      return secrets.cover(text);
    },
  };
  const mask = maskInThread(watched, json);
  const [short, long] = [10, 4000].map((times) => '{"a":"swordfish","b":"\\n\ud83d","c":1}'.repeat(times));
  for (const text of [short, long]) {
    const covered = await mask.cover(String(text));
    expect(covered).toBe(secrets.cover(String(text)));
    expect(covered).not.toContain('swordfish');
  }
  expect(here).toEqual([short?.length]);
  secrets.learn('trout');
  expect(await mask.cover(`${long} trout`)).not.toContain('trout');
});
