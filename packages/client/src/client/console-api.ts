import type { Caller } from '../request/caller.ts';
import type { RequestOptions } from '../request/end-of.ts';
import type { ResponseBody } from '../request/routes.ts';

/** A one-time code of the web console. */
export type ConsoleCode = ResponseBody<'POST /console/codes'>;

/** A new session of the web console. */
export type OpenedConsoleSession = ResponseBody<'POST /console/sessions'>;

/** The session of the web console that sends the request. */
export type OwnConsoleSession = ResponseBody<'GET /console/session'>;

/** An open session of the web console. */
export type ConsoleSession = ResponseBody<'GET /console/sessions'>['sessions'][number];

/**
 * The one-time codes and sessions of the web console. `session`, `unlock` and `close` are for its page, which sends a session
 * instead of a key.
 */
export interface ConsoleApi {
  /**
   * A one-time code, to sign in or to confirm what a session does. `readOnly`: that session only ever reads. `decision`:
   * it confirms nothing else; without a decision, it unlocks a session. Needs the first key of the daemon.
   */
  code(
    purpose: 'sign-in' | 'confirm',
    options?: RequestOptions & { readOnly?: boolean | undefined; decision?: string | undefined },
  ): Promise<ConsoleCode>;
  /** Opens a session with a code. In a browser, the response sets the cookie. */
  open(code: string, options?: RequestOptions): Promise<OpenedConsoleSession>;
  /** The session that sends the request. */
  session(options?: RequestOptions): Promise<OwnConsoleSession>;
  /** Lets that session run skills for 15 minutes, with a code that confirms. */
  unlock(code: string, options?: RequestOptions): Promise<OwnConsoleSession>;
  /** Signs that session out. */
  close(options?: RequestOptions): Promise<void>;
  /** The open sessions, oldest first. Needs `admin`, like `revoke`. */
  sessions(options?: RequestOptions): Promise<readonly ConsoleSession[]>;
  revoke(id: string, options?: RequestOptions): Promise<void>;
}

/** The API of the web console. `caller` sends its requests. */
export function consoleApi({ get, getAs, transport, within }: Caller): ConsoleApi {
  // A code is used up by the first attempt.
  const once = (options: RequestOptions = {}) => ({ ...within(options), isRepeatable: false });
  return {
    code: (purpose, { readOnly, decision, ...options } = {}) =>
      transport.json('POST /console/codes', 'code', { body: { purpose, readOnly, decision } }, once(options)),
    open: (code, options) =>
      transport.json('POST /console/sessions', 'half', { body: { code } }, once(options)),
    session: (options) => get('GET /console/session', 'unlockedUntil', {}, options),
    unlock: (code, options) =>
      transport.json('POST /console/session/unlock', 'unlockedUntil', { body: { code } }, once(options)),
    close: (options) => getAs('DELETE /console/session', {}, options, nothing),
    sessions: async (options) => (await get('GET /console/sessions', 'sessions', {}, options)).sessions,
    revoke: (id, options) => getAs('DELETE /console/sessions/:id', { params: { id } }, options, nothing),
  };
}

async function nothing(): Promise<void> {
  // The success is the whole result.
}
