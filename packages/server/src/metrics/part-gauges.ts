import { Counter, Gauge, type Registry } from 'prom-client';
import { withinTime } from '../within-time.ts';

/** A component that reports its state when pending. */
export interface Part {
  /** Its `part` label in `ambit_part_up`. */
  name: string;
  /** Its metrics by name, each with its HELP. A metric that ends in `_total` is a counter. */
  metrics: Readonly<Record<string, string>>;
  /** Constant labels of all its metrics; absent: none. */
  labels?: Readonly<Record<string, string>>;
  /** The current values; a missing or `undefined` one is left out. */
  read(): PartValues | Promise<PartValues>;
}

type PartValues = Readonly<Record<string, number | undefined>>;

interface Reader {
  read(): Promise<void>;
}

/** Metrics that are read at each scrape, which waits `waitMs` for each component. */
export function partGauges(
  registry: Registry,
  waitMs: number,
): {
  add(parts: readonly Part[]): void;
  /** Reads all of them. Resolves in time even if a component hangs. */
  read(): Promise<void>;
} {
  const readers: Reader[] = [];
  const up = new Gauge({
    name: 'ambit_part_up',
    help: 'Whether a component answered this scrape in time: 1 or 0.',
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
  /** The pending read: a component that hangs is not read again by every scrape. */
  let pending: Promise<PartValues> | undefined;
  return {
    async read() {
      pending ??= Promise.resolve()
        .then(read)
        .finally(() => {
          pending = undefined;
        });
      const answered = pending.catch(() => undefined);
      const values = await withinTime(waitMs, answered);
      up.set({ part: name }, values === undefined ? 0 : 1);
      for (const { metric, instrument } of shown) {
        const value = values?.[metric];
        instrument.remove(labels);
        if (value !== undefined) instrument.inc(labels, value);
      }
    },
  };
}
