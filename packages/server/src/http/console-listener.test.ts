// Threat model: T437

import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { consoleListener } from './console-listener.ts';

/** A listener whose console is in use as the test says, and what it announced. */
function world() {
  const server = createServer((_, response) => void response.end());
  onTestFinished(() => void server.close());
  const use = { isInUse: false };
  const announced: (string | undefined)[] = [];
  const listener = consoleListener({
    place: () => ({ host: 'localhost', port: 0 }),
    isInUse: () => use.isInUse,
    announce: async (url) => void announced.push(url),
    logger: { info: () => undefined, error: () => undefined },
  });
  const open = () => listener.open({ server, endConnections: () => server.closeAllConnections() });
  return { server, use, announced, listener, open };
}

test('the listener outlives the moment between an answer and its code, closes when unused, and opens again', async () => {
  const { server, use, announced, listener, open } = world();
  const urls = await Promise.all([open(), open()]);
  expect(new Set(urls).size).toBe(1);
  use.isInUse = true;
  const closed = listener.closed();
  // In the same turn as the next look, in which the console is unused.
  use.isInUse = false;
  expect(await open()).toBe(urls[0]);
  expect(server.listening).toBe(true);
  await closed;
  expect([server.listening, announced]).toEqual([false, [urls[0], undefined]]);
  const again = await open();
  expect(await fetch(again)).toMatchObject({ status: 200 });
  expect(announced.at(-1)).toBe(again);
});

test('a listener that was ended opens no more', async () => {
  const { listener, open } = world();
  await listener.end();
  await expect(open()).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  expect(await listener.closed()).toBe(undefined);
});
