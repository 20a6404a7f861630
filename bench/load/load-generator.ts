import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a generator sends: the same POST again and again, one at a time on each connection. */
export interface Load {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  connections: number;
  ms: number;
  /** What every answer has to hold. */
  holds: string;
}

/** What came of it. */
export interface Loaded {
  /** To the last answer. */
  ms: number;
  /** One for each answer. */
  latenciesMs: number[];
  /** How many answers had each status. */
  statuses: Record<string, number>;
  /** Connections that broke, and answers that never came. */
  errors: number;
  /** Answers that did not hold what they have to. */
  mismatches: number;
  /** What the generator's own process took. */
  cpuMs: number;
}

/** A load generator (autocannon) in a process of its own. */
export interface LoadGenerator {
  run(load: Load): Promise<Loaded>;
  close(): void;
}

export function loadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(new URL('generator.ts', import.meta.url)), { execArgv: [] });
  return {
    async run(load) {
      child.send(load);
      const [loaded] = await once(child, 'message');
      return loaded as Loaded;
    },
    close: () => child.kill(),
  };
}
