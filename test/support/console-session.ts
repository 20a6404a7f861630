import type { Daemon } from './daemon-process.ts';

/** A session of the web console with a real daemon, as a browser has it. */
export interface SignedIn {
  id: string;
  /** Sends a request, and resolves when the answer begins: for streams. */
  open(method: string, path: string, options?: RequestOptions): Promise<Response>;
  request(
    method: string,
    path: string,
    options?: RequestOptions,
    // biome-ignore lint/suspicious/noExplicitAny: any JSON, compared whole by the tests
  ): Promise<{ status: number; body: any }>;
  /** A code as `ambit console confirm` prints it: for a decision, or to unlock the session. */
  confirmation(decision?: string): Promise<string>;
}

interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
  /** The daemon to which a load balancer sends the request instead. */
  at?: Daemon;
}

/** Signs in with a code of the daemon's first key. */
export async function signIn(daemon: Daemon): Promise<SignedIn> {
  const code = async (purpose: 'sign-in' | 'confirm', decision?: string): Promise<string> =>
    (await daemon.request('POST', '/console/codes', { body: { purpose, decision } })).body.code;
  const session = await openSession(daemon.url, await code('sign-in'));
  return { ...session, confirmation: (decision) => code('confirm', decision) };
}

/** Signs in at a URL with a code of `ambit console`. */
export async function openSession(url: string, code: string): Promise<Omit<SignedIn, 'confirmation'>> {
  const opened = await fetch(`${url}/console/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code }),
  });
  const { id, half } = (await opened.json()) as { id: string; half: string };
  const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';');
  const open: SignedIn['open'] = (method, path, { body, headers, at } = {}) =>
    fetch(`${at?.url ?? url}${path}`, {
      method,
      headers: {
        // The cookie is named for the port that the browser knows, which is the load balancer's.
        cookie: at === undefined ? cookie : cookie.replace(portOf(url), portOf(at.url)),
        'ambit-session': half,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    id,
    open,
    async request(method, path, options) {
      const response = await open(method, path, options);
      const text = await response.text();
      return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
    },
  };
}

function portOf(url: string): string {
  return `-${new URL(url).port}-`;
}
