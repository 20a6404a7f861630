/** One request of a call, or one tunnel that nobody looked into, as the call's record keeps it. */
export interface EgressConnection {
  host: string;
  port: number;
  /** `null` where it was not seen. */
  method: string | null;
  /** Without the query. `null` where it was not seen. */
  path: string | null;
  /** What went out and what came back; bodies for requests, everything for tunnels. */
  bytesUp: number;
  bytesDown: number;
  decision: 'allowed' | 'denied';
  /** The rule that decided, in one line; `null` when there was none. */
  rule: string | null;
}
