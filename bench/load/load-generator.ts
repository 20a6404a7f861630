import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A load: the same POST repeatedly, one at a time per connection. */
export interface Load {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** A header with a new UUID in each request. */
  uniqueHeader?: string;
  body: string;
  connections: number;
  ms: number;
  /** Text that every answer must contain. */
  holds: string;
}

/** The result of a load. */
export interface Loaded {
  /** Until the last answer. */
  ms: number;
  /** One per answer. */
  latenciesMs: number[];
  /** Number of answers by status. */
  statuses: Record<string, number>;
  /** Broken connections and missing answers. */
  errors: number;
  /** Answers without the required text. */
  mismatches: number;
  /** CPU time of the generator's process. */
  cpuMs: number;
}

/** A load generator (autocannon) in a separate process. */
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
