import { type AmbitClient, AmbitProblem, ambitClient, type OwnConsoleSession } from '@ambit/client';
import { signal } from '@preact/signals';
import { daemonNow, noteClock } from '../format/clock.ts';
import { personWatch } from './person.ts';

/** The session of this tab. `why`: why there is none, or why that is unknown. */
export type SessionState =
  | { is: 'loading' }
  | { is: 'failed'; why: unknown }
  | { is: 'signed-out'; why?: unknown }
  | { is: 'signed-in'; session: OwnConsoleSession };

export const session = signal<SessionState>({ is: 'loading' });

/** The reason for refusing a request of a session. */
const sessionEnded =
  'Your session has ended. A session ends when its tab is not used for 30 minutes, after 8 hours, when it is revoked, and when the daemon restarts.';

/** The API as this session. */
export const client: AmbitClient = ambitClient({ url: location.origin, fetch: fetchAsSession });

const personHasActed = personWatch();

/** The half of the session that is not in the cookie. Only this tab has it. */
const half = {
  get: (): string | null => sessionStorage.getItem('ambit-session'),
  set: (value: string): void => sessionStorage.setItem('ambit-session', value),
  forget: (): void => sessionStorage.removeItem('ambit-session'),
};

/** Continues the session of this tab, or exchanges the code in the address for one. */
export async function startSession(): Promise<void> {
  // Opening an address with a code in a tab that shows the console only changes its hash.
  addEventListener('hashchange', () => {
    const code = takeCode();
    if (code !== null) void signIn(code);
  });
  const code = takeCode();
  await (code === null ? resume() : signIn(code));
}

/** Removes the code from the address. It works once, and must not stay in the history. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** Exchanges a code of `ambit console` for a session. */
export async function signIn(code: string): Promise<void> {
  session.value = { is: 'loading' };
  try {
    half.set((await client.console.open(code)).half);
    await resume();
  } catch (why) {
    session.value = { is: 'signed-out', why };
  }
}

export async function signOut(): Promise<void> {
  await client.console.close().catch(() => undefined);
  half.forget();
  session.value = { is: 'signed-out' };
}

/** Lets this session run and cancel calls for some minutes. `code` is of `ambit console confirm`. */
export async function unlock(code: string): Promise<void> {
  session.value = { is: 'signed-in', session: await client.console.unlock(code) };
}

/** Whether this session may run and cancel calls now. */
export function isUnlocked(state: SessionState): boolean {
  if (state.is !== 'signed-in' || state.session.unlockedUntil === null) return false;
  return Date.parse(state.session.unlockedUntil) > daemonNow();
}

/** Whether this session can be unlocked, and see the configuration. */
export function isReadOnly(state: SessionState): boolean {
  return state.is === 'signed-in' && !state.session.scopes.includes('admin');
}

/** Whether the daemon is a node of a cluster. */
export function isNode(state: SessionState): boolean {
  return state.is === 'signed-in' && state.session.node !== undefined;
}

/** `fetch`, as this session. */
export async function fetchAsSession(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  const own = half.get();
  if (own !== null) headers.set('ambit-session', own);
  // An unused tab must not keep the session open, however often its views load again.
  if (!personHasActed()) headers.set('ambit-background', '1');
  const response = await fetch(input, { ...init, headers });
  noteClock(response.headers.get('date'));
  // The session was revoked or has expired.
  if (response.status === 401 && session.value.is === 'signed-in')
    session.value = { is: 'signed-out', why: sessionEnded };
  return response;
}

async function resume(): Promise<void> {
  if (half.get() === null) {
    session.value = { is: 'signed-out' };
    return;
  }
  try {
    session.value = { is: 'signed-in', session: await client.console.session() };
  } catch (why) {
    const hasEnded = why instanceof AmbitProblem && why.status === 401;
    if (hasEnded) half.forget();
    session.value = hasEnded ? { is: 'signed-out', why: sessionEnded } : { is: 'failed', why };
  }
}
