import { Counter, Gauge, type Registry } from 'prom-client';
import { withinTime } from './within-time.ts';

/** Something that can say how it is doing when it is asked. */
export interface Part {
  /** The label of its `ambit_part_up`. */
  name: string;
  /** What it tells, by its metric's name, with a sentence on each. What ends in `_total` only grows. */
  metrics: Readonly<Record<string, string>>;
  /** On each of its metrics, always the same; absent: none. */
  labels?: Readonly<Record<string, string>>;
  /** The values as they are now; one that is not there, or `undefined`, is not shown. */
  read(): PartValues | Promise<PartValues>;
}

type PartValues = Readonly<Record<string, number | undefined>>;

interface Reader {
  read(): Promise<void>;
}

/** Metrics whose values are not counted here: they are asked for at each scrape, which waits so long for each part. */
export function partGauges(
  registry: Registry,
  waitMs: number,
): {
  add(parts: readonly Part[]): void;
  /** Asks all of them. Resolves in time, whatever they do. */
  read(): Promise<void>;
} {
  const readers: Reader[] = [];
  const up = new Gauge({
    name: 'ambit_part_up',
    help: 'Whether a part of Ambit has answered this scrape in time: 1 or 0.',
    labelNames: ['part'],
    registers: [registry],
  });
  return {
    add: (parts) => void readers.push(...parts.map((part) => reader(registry, part, up, waitMs))),
    read: async () => void (await Promise.all(readers.map((each) => each.read()))),
  };
}

function reader(
  registry: Registry,
  { name, metrics, labels = {}, read }: Part,
  up: Gauge,
  waitMs: number,
): Reader {
  const shown = Object.entries(metrics).map(([metric, help]) => {
    const options = { name: metric, help, labelNames: Object.keys(labels), registers: [registry] };
    return { metric, instrument: metric.endsWith('_total') ? new Counter(options) : new Gauge(options) };
  });
  /** What has been asked and not answered: one that hangs is not asked once more by every scrape. */
  let asked: Promise<PartValues> | undefined;
  return {
    async read() {
      asked ??= Promise.resolve()
        .then(read)
        .finally(() => {
          asked = undefined;
        });
      const values = await withinTime(waitMs, asked);
      up.set({ part: name }, values === undefined ? 0 : 1);
      for (const { metric, instrument } of shown) {
        const value = values?.[metric];
        instrument.remove(labels);
        if (value !== undefined) instrument.inc(labels, value);
      }
    },
  };
}
