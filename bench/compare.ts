/** One implementation to measure. */
export interface Contender {
  name: string;
  /** Runs before each measurement and is not measured. */
  prepare?(): Promise<unknown>;
  run(): Promise<unknown>;
  /** Consecutive calls measured together; 1 if absent. */
  inARow?: number;
}

/** Times of a contender, in milliseconds. */
export interface Timing {
  name: string;
  medianMs: number;
  p95Ms: number;
  /** The median divided by the first contender's. */
  ratio: number;
}

/**
 * Measures the contenders in turn, one call of each per round, so other load on the machine affects
 * all equally. The first contender is the baseline.
 */
export async function compare(contenders: readonly Contender[], rounds: number): Promise<Timing[]> {
  const warmUp = Math.ceil(rounds / 10);
  const times = contenders.map(() => [] as number[]);
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      await contender.prepare?.();
      const { inARow = 1 } = contender;
      const startedAt = performance.now();
      for (let call = 0; call < inARow; call++) await contender.run();
      if (round >= warmUp) times[index]?.push((performance.now() - startedAt) / inARow);
    }
  }
  const sorted = times.map((each) => each.sort((a, b) => a - b));
  const baseline = quantile(sorted[0] ?? [], 0.5);
  return contenders.map(({ name }, index) => {
    const medianMs = quantile(sorted[index] ?? [], 0.5);
    return { name, medianMs, p95Ms: quantile(sorted[index] ?? [], 0.95), ratio: medianMs / baseline };
  });
}

/** A table for people. Only the ratios are comparable between machines. */
export function formatTable(title: string, timings: readonly Timing[]): string {
  const width = Math.max(...timings.map(({ name }) => name.length));
  const rows = timings.map(
    ({ name, medianMs, p95Ms, ratio }) =>
      `  ${name.padEnd(width)}  ${ms(medianMs)}  ${ms(p95Ms)}  ${ratio.toFixed(2).padStart(8)} ×`,
  );
  return [
    title,
    `  ${''.padEnd(width)}  ${'median'.padStart(10)}  ${'p95'.padStart(10)}  ${'ratio'.padStart(10)}`,
    ...rows,
  ].join('\n');
}

/** Prints whether a target is reached. */
export function verdict(reached: boolean, text: string): void {
  console.log(`  ${reached ? 'reached' : 'missed '}  ${text}`);
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`.padStart(10);
}
