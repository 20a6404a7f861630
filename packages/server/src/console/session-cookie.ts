import { sessionMs } from './console-sessions.ts';

/** The header with the second half of a session. */
export const halfHeader = 'ambit-session';
/** The header of a request that the page sends by itself. It does not count as use of the session. */
export const backgroundHeader = 'ambit-background';

/** The address that the browser of a request uses: the cookie depends on it. */
export interface CookiePlace {
  /** The `Host` header. */
  host: string | undefined;
  /** Whether the browser uses TLS. */
  isSecure: boolean;
}

/**
 * The `Set-Cookie` header of a session; without a `value`, it removes the cookie. Cookies ignore ports (RFC 6265, section
 * 8.5), so the name has the port, for several daemons of a host, and the session, for several tabs.
 */
export function sessionCookie(
  id: string,
  value: string | undefined,
  { host, isSecure }: CookiePlace,
): string {
  const lasts = value === undefined ? 0 : sessionMs / 1000;
  const secure = isSecure ? '; Secure' : '';
  return `${prefixAt(host)}${id}=${value ?? ''}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${lasts}${secure}`;
}

/** The session cookies of this host and port in a `Cookie` header: the id of the session, and the value. */
export function sessionCookies(header: string | undefined, host: string | undefined): [string, string][] {
  if (header === undefined) return [];
  const prefix = prefixAt(host);
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => {
      const end = pair.indexOf('=');
      return [pair.slice(prefix.length, end), pair.slice(end + 1)];
    });
}

/** 0: the default port, which `Host` does not name. */
function prefixAt(host: string | undefined): string {
  return `ambit-console-${/:(\d+)$/.exec(host ?? '')?.[1] ?? '0'}-`;
}
