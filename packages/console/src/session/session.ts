import { type AmbitClient, ambitClient } from '@ambit/client';
import { signal } from '@preact/signals';
import { daemonNow } from '../format/clock.ts';
import { type ConsoleSession, request, sessionHalf } from './request.ts';

/** The session of this tab. `why`: why there is none. */
export type SessionState =
  | { is: 'loading' }
  | { is: 'signed-out'; why?: unknown }
  | { is: 'signed-in'; session: ConsoleSession };

export const session = signal<SessionState>({ is: 'loading' });

/** The API as this session. Its requests end with the page. */
export const client: AmbitClient = ambitClient({ url: location.origin, fetch: fetchAsSession });

/** Continues the session of this tab, or exchanges the code in the address for one. */
export async function startSession(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  // A code works once. It must not stay in the history.
  if (code !== null) history.replaceState(null, '', location.pathname + location.search);
  await (code === null ? resume() : signIn(code));
}

/** Exchanges a code of `ambit console` for a session. */
export async function signIn(code: string): Promise<void> {
  session.value = { is: 'loading' };
  try {
    const { half } = await request<{ half: string }>('POST', '/console/sessions', { body: { code } });
    sessionHalf.set(half);
    await resume();
  } catch (why) {
    session.value = { is: 'signed-out', why };
  }
}

export async function signOut(): Promise<void> {
  await request('DELETE', '/console/session').catch(() => undefined);
  sessionHalf.set(undefined);
  session.value = { is: 'signed-out' };
}

/** Lets this session run and cancel calls for some minutes. `code` is of `ambit console confirm`. */
export async function unlock(code: string): Promise<void> {
  await request('POST', '/console/session/unlock', { body: { code } });
  await resume();
}

async function resume(): Promise<void> {
  if (sessionHalf.get() === undefined) {
    session.value = { is: 'signed-out' };
    return;
  }
  try {
    session.value = { is: 'signed-in', session: await request<ConsoleSession>('GET', '/console/session') };
  } catch (why) {
    if (!isSignedOut(why)) throw why;
    session.value = { is: 'signed-out' };
  }
}

async function fetchAsSession(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('ambit-session', sessionHalf.get() ?? '');
  const response = await fetch(input, { ...init, headers });
  // The session was revoked or has expired.
  if (response.status === 401 && session.value.is === 'signed-in')
    session.value = { is: 'signed-out', why: new Error('Your session has ended.') };
  return response;
}

function isSignedOut(error: unknown): boolean {
  return (error as { problem?: { status: number } }).problem?.status === 401;
}

/** Whether this session may run and cancel calls now. */
export function isUnlocked(state: SessionState): boolean {
  if (state.is !== 'signed-in' || state.session.unlockedUntil === null) return false;
  return Date.parse(state.session.unlockedUntil) > daemonNow();
}
