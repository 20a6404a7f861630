import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { endUnused, startAhead, startThread } from './start-thread.ts';

const threadStart = new URL('thread-start.ts', import.meta.url).href;

/** A program that answers each message with its thread, its start and the message. */
const answering = `import { parentPort, threadId } from 'node:worker_threads';
import { threadStart } from '${threadStart}';
const start = await threadStart();
parentPort.on('message', (message) => parentPort.postMessage([threadId, start, message]));
`;

async function program(text: string): Promise<URL> {
  return pathToFileURL(join(await temporaryFolder({ 'program.mjs': text }), 'program.mjs'));
}

/** The answer to a message that is sent together with the start. */
async function answer(url: URL, start: unknown): Promise<unknown> {
  const worker = startThread(url, start);
  onTestFinished(async () => void (await worker.terminate()));
  worker.postMessage('first');
  return (await once(worker, 'message'))[0];
}

test('a thread that was started ahead gets the first start, and the next start another thread', async () => {
  const url = await program(answering);
  startAhead(url);
  const [ahead, ...first] = (await answer(url, { file: 'a' })) as unknown[];
  const [another, ...second] = (await answer(url, { file: 'b' })) as unknown[];
  expect([first, second]).toEqual([
    [{ file: 'a' }, 'first'],
    [{ file: 'b' }, 'first'],
  ]);
  expect(another).not.toBe(ahead);
});

test('threads that nothing used are ended, and used ones continue', async () => {
  const [used, unused] = [await program(answering), await program(answering)];
  startAhead(used);
  const worker = startThread(used, {});
  onTestFinished(async () => void (await worker.terminate()));
  const ended = once(startAhead(unused), 'exit');
  await endUnused();
  await ended;
  worker.postMessage('still');
  expect((await once(worker, 'message'))[0]).toEqual([expect.any(Number), {}, 'still']);
});

test('a thread that ended before its start is replaced, and the error of its program goes to the user', async () => {
  const url = await program('throw new Error("no module")');
  const ahead = startAhead(url);
  await new Promise((resolve) => ahead.once('exit', resolve));
  const worker: Worker = startThread(url, {});
  expect((await once(worker, 'error'))[0]).toMatchObject({ message: 'no module' });
});
