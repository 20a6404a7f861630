import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** The heap of a process started with `--inspect`, measured by its inspector. */
export interface Heap {
  /** Heap and external memory after garbage collection, in megabytes of 10^6 bytes. */
  afterGarbageMegabytes(): Promise<number>;
  close(): void;
}

const expression = 'process.memoryUsage().heapUsed + process.memoryUsage().external';

/** `log` is the file of its stderr, where Node writes the inspector's address at start-up. */
export async function heapOf(log: string): Promise<Heap> {
  const socket = new WebSocket(await addressIn(log));
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, (result: unknown) => void>();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  };
  let last = 0;
  const ask = (method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return {
    async afterGarbageMegabytes() {
      await ask('HeapProfiler.collectGarbage');
      const answer = (await ask('Runtime.evaluate', { expression })) as { result: { value: number } };
      return answer.result.value / 1e6;
    },
    close: () => socket.close(),
  };
}

async function addressIn(log: string): Promise<string> {
  for (;;) {
    const address = /ws:\/\/[\w.:/-]+/.exec(await readFile(log, 'utf8'))?.[0];
    if (address !== undefined) return address;
    await delay(20);
  }
}
