import { open, readdir, readFile } from 'node:fs/promises';

/** The values to look for, by name. */
export type Sought = Readonly<Record<string, string>>;

/** The names of the values in the memory or environment of any process that `ancestor` started. */
export async function foundBelow(ancestor: number, sought: Sought): Promise<string[]> {
  const found = new Set<string>();
  const needles = Object.entries(sought).map(([name, text]) => [name, Buffer.from(text)] as const);
  for (const process of await startedBy(ancestor)) {
    for await (const piece of memoryOf(process)) {
      for (const [name, needle] of needles) if (piece.includes(needle)) found.add(name);
    }
  }
  return [...found].sort();
}

async function startedBy(ancestor: number): Promise<number[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  for (const process of processes) {
    const stat = await readFile(`/proc/${process}/stat`, 'latin1').catch(() => '');
    parents.set(process, Number(/\) \S (\d+)/.exec(stat)?.[1] ?? 0));
  }
  const isBelow = (process: number): boolean => {
    const parent = parents.get(process) ?? 0;
    return parent === ancestor || (parent > 1 && isBelow(parent));
  };
  return processes.filter(isBelow);
}

/** A larger region is reserved address space, which is nearly empty. */
const partBytesMax = 256 * 1024 * 1024;

async function* memoryOf(process: number): AsyncGenerator<Buffer> {
  yield await readFile(`/proc/${process}/environ`).catch(() => Buffer.alloc(0));
  const maps = await readFile(`/proc/${process}/maps`, 'latin1').catch(() => '');
  const memory = await open(`/proc/${process}/mem`).catch(() => undefined);
  try {
    for (const [, start = '', end = ''] of maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) r.*$/gm)) {
      const [from, to] = [Number.parseInt(start, 16), Number.parseInt(end, 16)];
      if (memory === undefined || to - from > partBytesMax || from > Number.MAX_SAFE_INTEGER) continue;
      const read = await memory.read(Buffer.alloc(to - from), 0, to - from, from).catch(() => undefined);
      if (read !== undefined) yield read.buffer.subarray(0, read.bytesRead);
    }
  } finally {
    await memory?.close();
  }
}
