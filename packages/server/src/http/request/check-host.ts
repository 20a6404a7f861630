import { isIPv4 } from 'node:net';
import { Refusal } from '../../errors/refusal.ts';

/**
 * Refuses a request whose `Host` is neither a loopback name nor one of `hosts`. A web page can make
 * its own name resolve to a loopback address (DNS rebinding), but its requests then have that name
 * in `Host`.
 */
export function checkHost(header: string | undefined, hosts: readonly string[]): void {
  const [, name, port = '0'] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(header ?? '') ?? [];
  const host = Number(port) <= 65_535 ? name?.toLowerCase() : undefined;
  if (host !== undefined && (isLoopback(host) || hosts.includes(withoutBrackets(host)))) return;
  throw new Refusal(
    'HOST_REFUSED',
    header === undefined
      ? "the request has no Host header; send the server's name"
      : `${JSON.stringify(header.slice(0, 200))} is not a name of this server; use localhost, 127.0.0.1 or a name in listen.names`,
  );
}

/**
 * Refuses a request with more than one `Host` header (RFC 9112, section 3.2): Node uses the first,
 * and a proxy may have checked another. `headers` alternates names and values, as received.
 */
export function checkOneHost(headers: readonly string[]): void {
  const hosts = headers.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1)
    throw new Refusal('REQUEST_UNREADABLE', `the request has ${hosts.length} Host headers; send one`);
}

/**
 * Refuses a request from a web page of another origin: `Origin`, if present, must be the server's
 * own, as in `host`. Programs send none.
 */
export function checkOrigin(origin: string | undefined, host: string | undefined): void {
  if (origin === undefined) return;
  const own = ['http', 'https'].map((scheme) => `${scheme}://${host}`.toLowerCase());
  if (own.includes(origin.toLowerCase())) return;
  throw new Refusal(
    'ORIGIN_REFUSED',
    `the web origin ${JSON.stringify(origin.slice(0, 200))} may not call this server; call it from a program, without an Origin header`,
  );
}

/**
 * Refuses a request that a browser sends for another site. `Sec-Fetch-Site` is the browser's own word, which no page can
 * set; programs send none.
 */
export function checkSameOrigin(fetchSite: string | string[] | undefined): void {
  if (fetchSite === undefined || fetchSite === 'same-origin') return;
  throw new Refusal(
    'ORIGIN_REFUSED',
    `the browser sent this request for another site (Sec-Fetch-Site: ${JSON.stringify(String(fetchSite).slice(0, 40))}); use the page of the console itself, at /console/`,
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
