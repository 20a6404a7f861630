import { AmbitError, AmbitProblem, type Problem } from '@ambit/client';
import { noteClock } from '../format/clock.ts';

/** A session of the console, as the daemon describes it. */
export interface ConsoleSession {
  id: string;
  actor: string;
  expiresAt: string;
  /** Until when it may run and cancel calls; `null`: it only reads. */
  unlockedUntil: string | null;
  version: string;
  /** The node of a cluster. */
  node?: string;
}

/** The half of the session that is not in the cookie. Only this tab has it. */
export const sessionHalf = {
  get: (): string | undefined => sessionStorage.getItem('ambit-session') ?? undefined,
  set(half: string | undefined): void {
    if (half === undefined) sessionStorage.removeItem('ambit-session');
    else sessionStorage.setItem('ambit-session', half);
  },
};

interface RequestParts {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * Asks a route of the console itself. Rejects with an `AmbitProblem` if the daemon refuses, and with an
 * `AmbitError` if it cannot be reached.
 */
export async function request<Answer>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { body, headers = {}, signal }: RequestParts = {},
): Promise<Answer> {
  const half = sessionHalf.get();
  const response = await fetch(path, {
    ...{ method, signal: signal ?? null },
    headers: {
      ...headers,
      ...(half === undefined ? {} : { 'ambit-session': half }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw signal.reason;
    throw new AmbitError('UNREACHABLE', 'The daemon does not answer. Check that it is running.', { cause });
  });
  noteClock(response.headers.get('date'));
  const text = await response.text();
  if (!response.ok) throw new AmbitProblem(JSON.parse(text) as Problem);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}
