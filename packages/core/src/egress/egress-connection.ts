/** One request of a call, or one tunnel that was not inspected, as recorded. */
export interface EgressConnection {
  host: string;
  port: number;
  /** `null` if not inspected. */
  method: string | null;
  /** Without the query. `null` if not inspected. */
  path: string | null;
  /** Bytes sent and received: bodies of requests, or everything in a tunnel. */
  bytesUp: number;
  bytesDown: number;
  decision: 'allowed' | 'denied';
  /** The rule that decided, on one line; `null` if none did. */
  rule: string | null;
}
