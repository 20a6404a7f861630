import { Transform } from 'node:stream';
import type { EgressConnection, Origin } from '@ambit/core/egress';
import { ruleFor } from '@ambit/core/policy';
import { hundredths } from '../../steady-time.ts';
import { ProxyError, ProxyRefusal, ResponseTooLarge } from './refusal.ts';

/** A line of the record while it is written. */
export interface LedgerLine extends Omit<EgressConnection, 'durationMs'> {
  /** Absent while it is open. */
  endedAt?: number;
  /** The names of the secrets inserted into it; more may be added until it ends. */
  placed?: ReadonlySet<string>;
}

/** Records a call's network use and enforces its limits. */
export interface Ledger {
  /** Starts a line of the record. Throws `ProxyError` 429 above the limit of lines. */
  begin(line: Pick<EgressConnection, 'host' | 'port' | 'method' | 'path'>): LedgerLine;
  /** Ends a line that failed, and records a refusal in it and for the call's response. */
  refused(error: unknown, line?: LedgerLine): void;
  /** The response or the tunnel ended. */
  ended(line: LedgerLine): void;
  /** Throws `ProxyError` (413 for sending, 502 for receiving) when the call exceeds its bytes. */
  spend(line: LedgerLine, direction: 'bytesUp' | 'bytesDown', bytes: number): void;
  /** Counts a connected request or tunnel. `placed` are the names of the secrets inserted into it. */
  connected(line: LedgerLine, scheme: Origin['scheme'], placed?: ReadonlySet<string>): void;
  /**
   * Requests and tunnels by the rule that would grant their host, and requests by inserted secret.
   */
  uses(): { network: ReadonlyMap<string, number>; secrets: ReadonlyMap<string, number> };
  /** The lines so far. An open line lasts until now. */
  connections(): EgressConnection[];
  readonly denials: ProxyRefusal['denial'][];
}

/** Limits the size of a record. */
const linesMax = 10_000;
const denialsMax = 100;
const pathCharacters = 1024;

/** `requestBytes` and `responseBytes` are for all requests of the call together; `now` gives its times. */
export function ledger(
  { requestBytes, responseBytes }: { requestBytes: number; responseBytes: number },
  now: () => number,
): Ledger {
  const lines: LedgerLine[] = [];
  const denials: ProxyRefusal['denial'][] = [];
  const network = new Map<string, number>();
  const remaining = { bytesUp: requestBytes, bytesDown: responseBytes };
  return {
    connections: () => lines.map((line) => recorded(line, now)),
    denials,
    begin({ path, ...line }) {
      if (lines.length >= linesMax) {
        throw new ProxyError(429, `too many requests: a call may make ${linesMax}`);
      }
      const entry: LedgerLine = {
        ...line,
        path: path?.replace(/\?.*$/s, '').slice(0, pathCharacters) ?? null,
        bytesUp: 0,
        bytesDown: 0,
        decision: 'allowed',
        rule: null,
        at: now(),
      };
      lines.push(entry);
      return entry;
    },
    refused(error, line) {
      if (line !== undefined) line.endedAt = now();
      if (!(error instanceof ProxyRefusal)) return;
      if (line !== undefined) line.decision = 'denied';
      const { denial } = error;
      const known = denials.some(
        (each) => each.requested === denial.requested && each.reason === denial.reason,
      );
      if (!known && denials.length < denialsMax) denials.push(denial);
    },
    ended(line) {
      line.endedAt = now();
    },
    connected(line, scheme, placed) {
      countUse(network, ruleFor({ scheme, host: line.host, port: line.port }));
      if (placed !== undefined) line.placed = placed;
    },
    uses() {
      const secrets = new Map<string, number>();
      for (const name of lines.flatMap(({ placed }) => [...(placed ?? [])])) countUse(secrets, name);
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

function recorded({ endedAt, placed, ...line }: LedgerLine, now: () => number): EgressConnection {
  const lasting = { ...line, durationMs: hundredths((endedAt ?? now()) - line.at) };
  return placed === undefined || placed.size === 0 ? lasting : { ...lasting, secrets: [...placed] };
}

function countUse(counts: Map<string, number>, item: string): void {
  counts.set(item, (counts.get(item) ?? 0) + 1);
}

/** Passes bytes on while the call is within its limits. */
export function countBytes(ledger: Ledger, line: LedgerLine, direction: 'bytesUp' | 'bytesDown'): Transform {
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
