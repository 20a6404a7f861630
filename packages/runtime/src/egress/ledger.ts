import { Transform } from 'node:stream';
import { type EgressConnection, type Origin, ruleFor } from '@ambit/core/internal';
import { ProxyError, ProxyRefusal } from './refusal.ts';

/** What a call has done so far, and how much more it may. */
export interface Ledger {
  /** Begins a line of the record. Throws `ProxyError` 429 when there are too many of them. */
  begin(line: Pick<EgressConnection, 'host' | 'port' | 'method' | 'path'>): EgressConnection;
  /** Notes a refusal for the call's response, and in the line that it ended. */
  refused(error: unknown, line?: EgressConnection): void;
  /** Throws `ProxyError` (413 for what goes out, 502 for what comes back) once the call has had its bytes. */
  spend(line: EgressConnection, way: 'bytesUp' | 'bytesDown', bytes: number): void;
  /** Notes a request or a tunnel that has its connection; `placed` are the names of the secrets put into it, also later. */
  connected(to: Origin, placed?: ReadonlySet<string>): void;
  /** Requests and tunnels by the rule that would grant their host, and requests by the secret that was put into them. */
  uses(): { network: ReadonlyMap<string, number>; secrets: ReadonlyMap<string, number> };
  readonly connections: EgressConnection[];
  readonly denials: ProxyRefusal['denial'][];
}

/** So that a record stays one that can be written and read. */
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
  const left = { bytesUp: requestBytes, bytesDown: responseBytes };
  return {
    connections,
    denials,
    begin({ path, ...line }) {
      if (connections.length >= linesMax) {
        throw new ProxyError(429, `a call makes at most ${linesMax} requests`);
      }
      const begun: EgressConnection = {
        ...line,
        path: path?.replace(/\?.*$/s, '').slice(0, pathCharacters) ?? null,
        bytesUp: 0,
        bytesDown: 0,
        decision: 'allowed',
        rule: null,
      };
      connections.push(begun);
      return begun;
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
    spend(line, way, bytes) {
      line[way] += bytes;
      left[way] -= bytes;
      if (left[way] >= 0) return;
      throw way === 'bytesUp'
        ? new ProxyError(413, `a call sends at most ${requestBytes} bytes`)
        : new ProxyError(502, `a call receives at most ${responseBytes} bytes`);
    },
  };
}

function countUse(counts: Map<string, number>, item: string): void {
  counts.set(item, (counts.get(item) ?? 0) + 1);
}

/** Passes bytes on as long as the call may have them. */
export function counted(book: Ledger, line: EgressConnection, way: 'bytesUp' | 'bytesDown'): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        book.spend(line, way, chunk.length);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
