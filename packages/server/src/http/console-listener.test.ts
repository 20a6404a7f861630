// Threat model: T437

import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { consoleListener } from './console-listener.ts';

/** A listener whose console is not in use, and what it announced. */
function world() {
  const server = createServer((_, response) => void response.end());
  onTestFinished(() => void server.close());
  const announced: (string | undefined)[] = [];
  const listener = consoleListener({
    place: () => ({ host: 'localhost', port: 0 }),
    isInUse: () => false,
    announce: async (url) => void announced.push(url),
    logger: { info: () => undefined, error: () => undefined },
  });
  const open = () => listener.open({ server, endConnections: () => server.closeAllConnections() });
  return { server, announced, listener, open };
}

test('requests at the same time share one listener, which closes when it is unused, and opens again', async () => {
  const { server, announced, listener, open } = world();
  const [url, ...others] = await Promise.all([open(), open()]);
  expect(others).toEqual([url]);
  expect(server.listening).toBe(true);
  await listener.closed();
  expect([server.listening, announced]).toEqual([false, [url, undefined]]);
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
