/** A request of a client with an idempotency key, and what the client saw. */
interface Attempt {
  key: string;
  /** The node that was asked, or `proxy`. */
  via: string;
  /** Milliseconds since the history began. */
  sentAt: number;
  endedAt: number;
  /** Absent: the connection failed. */
  response?: KeyedAnswer;
  failure?: string;
}

/** The response to the call of a key. */
export interface KeyedAnswer {
  status: number;
  text: string;
  /** It is marked as not stored. */
  isUnstored: boolean;
}

/** The acknowledged answer to the call of a key. */
export interface AcknowledgedCall {
  key: string;
  executionId: string;
  text: string;
}

/** Everything that clients saw, in the order in which it ended. */
export interface History {
  attempts: readonly Attempt[];
  add(attempt: Omit<Attempt, 'endedAt'>): void;
  now(): number;
}

/** An empty history. */
export function newHistory(): History {
  const began = performance.now();
  const attempts: Attempt[] = [];
  const now = (): number => Math.round(performance.now() - began);
  return { attempts, now, add: (attempt) => void attempts.push({ ...attempt, endedAt: now() }) };
}

/** Refusals that a client of a cluster with faults has to expect. Each says that nothing ran for this request. */
const temporary = new Set([
  'LEASE_LOST',
  'NODE_UNREACHABLE',
  'STORE_UNAVAILABLE',
  'OVERLOADED',
  'SHUTTING_DOWN',
  'PROXY',
]);

/**
 * The meaning of a response for its call. A call that was canceled before it ran, because its node stops, frees its key: only
 * success is acknowledged.
 */
export function meaningOf({
  status,
  text,
  isUnstored,
}: KeyedAnswer):
  | { is: 'acknowledged'; executionId: string }
  | { is: 'unstored' | 'canceled' | 'interrupted' | 'refused' | 'unexpected' } {
  let body: { code?: string; executionId?: string; outcome?: { status?: string } };
  try {
    body = JSON.parse(text);
  } catch {
    return { is: 'unexpected' };
  }
  const { code = '', executionId, outcome } = body;
  if (status === 200 && isUnstored) return { is: 'unstored' };
  if (status === 200 && outcome?.status === 'canceled') return { is: 'canceled' };
  if (status === 200 && outcome?.status === 'succeeded' && executionId !== undefined)
    return { is: 'acknowledged', executionId };
  if (status === 409 && code === 'IDEMPOTENCY_INTERRUPTED') return { is: 'interrupted' };
  const waits = code === 'AUDIT_UNAVAILABLE' && text.includes('cluster.audit is \\"shipped\\"');
  return {
    is: [429, 502, 503].includes(status) && (waits || temporary.has(code)) ? 'refused' : 'unexpected',
  };
}

/** The acknowledged call of each key: its first answer that was stored. */
export function acknowledgedCalls({ attempts }: Pick<History, 'attempts'>): Map<string, AcknowledgedCall> {
  const calls = new Map<string, AcknowledgedCall>();
  for (const { key, response } of attempts) {
    const meaning = response && meaningOf(response);
    if (response === undefined || meaning?.is !== 'acknowledged' || calls.has(key)) continue;
    calls.set(key, { key, executionId: meaning.executionId, text: response.text });
  }
  return calls;
}
