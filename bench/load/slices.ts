import type { Loaded } from './load-generator.ts';
import { treeCpuMs } from './process-tree.ts';

/** One measurement of a contender. */
export interface Slice extends Loaded {
  /** CPU time of the serving process and of its descendants. */
  served: { own: number; below: number };
}

/** All slices of a contender. */
export interface Summary {
  calls: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time per call, in microseconds. */
  cpuUs: { own: number; below: number; generator: number };
  /** Answers other than a 200 with the expected content, such as `32 × 503`; empty: none. */
  wrong: string[];
}

/** Runs a load against the process `pid` and measures its CPU time. */
export async function slice(pid: number, load: () => Promise<Loaded>): Promise<Slice> {
  const before = treeCpuMs(pid);
  const loaded = await load();
  const after = treeCpuMs(pid);
  return { ...loaded, served: { own: after.own - before.own, below: after.below - before.below } };
}

export function summary(slices: readonly Slice[]): Summary {
  const latencies = slices.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
  const calls = latencies.length;
  const total = (of: (slice: Slice) => number): number => slices.reduce((sum, each) => sum + of(each), 0);
  const usEach = (of: (slice: Slice) => number): number => (total(of) / calls) * 1000;
  return {
    calls,
    perSecond: (calls / total(({ ms }) => ms)) * 1000,
    p50Ms: latencies[Math.floor(calls * 0.5)] ?? Number.NaN,
    p99Ms: latencies[Math.floor(calls * 0.99)] ?? Number.NaN,
    cpuUs: {
      own: usEach(({ served }) => served.own),
      below: usEach(({ served }) => served.below),
      generator: usEach(({ cpuMs }) => cpuMs),
    },
    wrong: wrongOf(slices),
  };
}

function wrongOf(slices: readonly Slice[]): string[] {
  const counts = new Map<string, number>();
  const count = (what: string, times: number): unknown =>
    times > 0 && counts.set(what, (counts.get(what) ?? 0) + times);
  for (const { statuses, errors, mismatches } of slices) {
    for (const [status, times] of Object.entries(statuses)) if (status !== '200') count(status, times);
    count('broken connections', errors);
    count('other answers', mismatches);
  }
  return [...counts].map(([what, times]) => `${times} × ${what}`);
}

/** A table of contenders. The ratio is this contender's rate divided by the first one's. */
export function printedSummaries(summaries: Readonly<Record<string, Summary>>): string {
  const rows = Object.entries(summaries);
  const width = Math.max(...rows.map(([name]) => name.length));
  const first = rows[0]?.[1].perSecond ?? Number.NaN;
  const head = `  ${''.padEnd(width)}  calls/s   ratio      p50      p99         CPU: own  below  generator`;
  return [
    head,
    ...rows.map(([name, { perSecond, p50Ms, p99Ms, cpuUs, wrong }]) =>
      [
        `  ${name.padEnd(width)}`,
        perSecond.toFixed(0).padStart(7),
        (perSecond / first).toFixed(2).padStart(6),
        `${p50Ms.toFixed(1)} ms`.padStart(8),
        `${p99Ms.toFixed(1)} ms`.padStart(8),
        `${cpuUs.own.toFixed(0)} µs`.padStart(14),
        `${cpuUs.below.toFixed(0)} µs`.padStart(6),
        `${cpuUs.generator.toFixed(0)} µs`.padStart(7),
        wrong.join(', '),
      ].join('  '),
    ),
  ].join('\n');
}
