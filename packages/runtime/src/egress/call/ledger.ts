import { Transform } from 'node:stream';
import { type EgressConnection, type Origin, ruleFor } from '@ambit/core/internal';
import { ProxyError, ProxyRefusal, ResponseTooLarge } from './refusal.ts';

/** Records a call's network use and enforces its limits. */
export interface Ledger {
  /** Starts a line of the record. Throws `ProxyError` 429 above the limit of lines. */
  begin(line: Pick<EgressConnection, 'host' | 'port' | 'method' | 'path'>): EgressConnection;
  /** Records a refusal for the call's response, and in the line that it ended. */
  refused(error: unknown, line?: EgressConnection): void;
  /** Throws `ProxyError` (413 for sending, 502 for receiving) when the call exceeds its bytes. */
  spend(line: EgressConnection, direction: 'bytesUp' | 'bytesDown', bytes: number): void;
  /**
   * Counts a connected request or tunnel. `placed` are the names of the secrets inserted into it;
   * more may be added later.
   */
  connected(to: Origin, placed?: ReadonlySet<string>): void;
  /**
   * Requests and tunnels by the rule that would grant their host, and requests by inserted secret.
   */
  uses(): { network: ReadonlyMap<string, number>; secrets: ReadonlyMap<string, number> };
  readonly connections: EgressConnection[];
  readonly denials: ProxyRefusal['denial'][];
}

/** Limits the size of a record. */
const linesMax = 10_000;
const denialsMax = 100;
const pathCharacters = 1024;

/** `requestBytes` and `responseBytes` are for all requests of the call together. */
export function ledger({
  requestBytes,
  responseBytes,
}: {
  requestBytes: number;
  responseBytes: number;
}): Ledger {
  const connections: EgressConnection[] = [];
  const denials: ProxyRefusal['denial'][] = [];
  const network = new Map<string, number>();
  const placements: ReadonlySet<string>[] = [];
  const remaining = { bytesUp: requestBytes, bytesDown: responseBytes };
  return {
    connections,
    denials,
    begin({ path, ...line }) {
      if (connections.length >= linesMax) {
        throw new ProxyError(429, `too many requests: a call may make ${linesMax}`);
      }
      const entry: EgressConnection = {
        ...line,
        path: path?.replace(/\?.*$/s, '').slice(0, pathCharacters) ?? null,
        bytesUp: 0,
        bytesDown: 0,
        decision: 'allowed',
        rule: null,
      };
      connections.push(entry);
      return entry;
    },
    refused(error, line) {
      if (!(error instanceof ProxyRefusal)) return;
      if (line !== undefined) line.decision = 'denied';
      const { denial } = error;
      const known = denials.some(
        (each) => each.requested === denial.requested && each.reason === denial.reason,
      );
      if (!known && denials.length < denialsMax) denials.push(denial);
    },
    connected({ scheme, host, port }, placed) {
      countUse(network, ruleFor({ scheme, host, port }));
      if (placed !== undefined) placements.push(placed);
    },
    uses() {
      const secrets = new Map<string, number>();
      for (const name of placements.flatMap((placed) => [...placed])) countUse(secrets, name);
      return { network, secrets };
    },
    spend(line, direction, bytes) {
      line[direction] += bytes;
      remaining[direction] -= bytes;
      if (remaining[direction] >= 0) return;
      throw direction === 'bytesUp'
        ? new ProxyError(413, `request too large: a call may send ${requestBytes} bytes`)
        : new ResponseTooLarge('a call', responseBytes);
    },
  };
}

function countUse(counts: Map<string, number>, item: string): void {
  counts.set(item, (counts.get(item) ?? 0) + 1);
}

/** Passes bytes on while the call is within its limits. */
export function counted(
  ledger: Ledger,
  line: EgressConnection,
  direction: 'bytesUp' | 'bytesDown',
): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        ledger.spend(line, direction, chunk.length);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
