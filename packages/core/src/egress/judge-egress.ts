import type { NetworkRule } from './network-rule.ts';
import { type Endpoint, endpointOf, hostMatches, pathMatches, type Scheme } from './network-rule.ts';

/** The destination of a connection. */
export interface Origin {
  scheme: Scheme;
  /** Canonical (`canonicalHost`). */
  host: string;
  port: number;
}

/** One request. `target` is its path and query. */
export interface EgressRequest extends Origin {
  method: string;
  target: string;
}

/** `reason` is a predicate: "evil.example:443 is not granted to this skill". */
interface EgressRefused {
  permitted: false;
  reason: string;
  /** The deny rule that applies. */
  rule?: NetworkRule;
  /** The remedy if no grant helps. */
  remedy?: string;
}

/** The verdict on a connection, before any request on it. */
export type OriginVerdict =
  /** `wholly`: every request is permitted, so requests need no inspection. */
  { permitted: true; rule: NetworkRule; wholly: boolean } | EgressRefused;

/** The verdict on one request. `narrowed`: it depends on the method or the path. */
export type RequestVerdict = { permitted: true; rule: NetworkRule; narrowed: boolean } | EgressRefused;

const notGranted: EgressRefused = { permitted: false, reason: 'is not granted to this skill' };

/**
 * Whether `origin` may be reached at all. Deny rules with methods or paths apply only to requests.
 */
export function judgeOrigin(
  rules: readonly NetworkRule[],
  deny: readonly NetworkRule[],
  origin: Origin,
): OriginVerdict {
  const denied = deny.filter((rule) => deniesOrigin(endpointOf(rule), origin));
  const whole = denied.find((rule) => !isNarrow(endpointOf(rule)));
  if (whole !== undefined) return deniedBy(whole);
  const permitting = rules.filter((rule) => permitsOrigin(endpointOf(rule), origin));
  const open = permitting.find((rule) => !isNarrow(endpointOf(rule)));
  const rule = open ?? permitting[0];
  if (rule === undefined) return grantedForOtherScheme(rules, origin) ?? notGranted;
  return { permitted: true, rule, wholly: open !== undefined && denied.length === 0 };
}

/**
 * Whether a request is permitted. Deny rules win. Rules with paths refuse a path that servers can
 * read in several ways.
 */
export function judgeRequest(
  rules: readonly NetworkRule[],
  deny: readonly NetworkRule[],
  request: EgressRequest,
): RequestVerdict {
  const origin = judgeOrigin(rules, deny, request);
  if (!origin.permitted) return origin;
  const permitting = rules.filter((rule) => permitsOrigin(endpointOf(rule), request));
  const denied = deny.filter((rule) => deniesOrigin(endpointOf(rule), request));
  const path = plainPath(request.target);
  if (path === undefined && [...permitting, ...denied].some((rule) => endpointOf(rule).paths !== undefined)) {
    return {
      permitted: false,
      reason: 'has rules for paths, and this path is ambiguous',
      remedy: 'request the path in its normal form, without "//", ".." or escaped slashes',
    };
  }
  const denies = denied.find((rule) => matches(endpointOf(rule), request.method, path, deniedPath));
  if (denies !== undefined) return deniedBy(denies);
  const rule = permitting.find((each) => matches(endpointOf(each), request.method, path, pathMatches));
  if (rule === undefined) {
    return {
      permitted: false,
      reason: `is not granted to this skill for ${request.method} ${path ?? ''}`.trim(),
    };
  }
  return { permitted: true, rule, narrowed: !origin.wholly };
}

/**
 * Whether a rule names this exact address and port. Special addresses are granted only this way.
 */
export function grantsAddress(rules: readonly NetworkRule[], address: string, port: number): boolean {
  return rules.some((rule) => {
    const endpoint = endpointOf(rule);
    return endpoint.host === address && endpoint.port === port;
  });
}

/** Whether a deny rule names this exact address, whatever name resolved to it. */
export function deniesAddress(deny: readonly NetworkRule[], address: string, port: number): boolean {
  return deny.some((rule) => {
    const { host, namedPort, ...endpoint } = endpointOf(rule);
    return host === address && (namedPort === undefined || namedPort === port) && !isNarrow(endpoint);
  });
}

function permitsOrigin(rule: Endpoint, { scheme, host, port }: Origin): boolean {
  return rule.scheme === scheme && rule.port === port && hostMatches(rule.host, host);
}

/** Explains a refusal by scheme: that a rule without a scheme means TLS is easy to miss. */
function grantedForOtherScheme(rules: readonly NetworkRule[], origin: Origin): EgressRefused | undefined {
  const other = origin.scheme === 'http' ? 'https' : 'http';
  if (!rules.some((rule) => permitsOrigin(endpointOf(rule), { ...origin, scheme: other }))) return undefined;
  const named = { http: 'plain HTTP', https: 'TLS' };
  return {
    permitted: false,
    reason: `is not granted to this skill for ${named[origin.scheme]}, only for ${named[other]}`,
  };
}

function deniesOrigin(rule: Endpoint, { scheme, host, port }: Origin): boolean {
  return (
    hostMatches(rule.host, host) &&
    (rule.namedScheme === undefined || rule.namedScheme === scheme) &&
    (rule.namedPort === undefined || rule.namedPort === port)
  );
}

function isNarrow({ methods, paths }: Pick<Endpoint, 'methods' | 'paths'>): boolean {
  return methods !== undefined || paths !== undefined;
}

function matches(
  { methods, paths }: Endpoint,
  method: string,
  path: string | undefined,
  covers: (pattern: string, path: string) => boolean,
): boolean {
  if (methods !== undefined && !methods.includes(method)) return false;
  return paths === undefined || (path !== undefined && paths.some((pattern) => covers(pattern, path)));
}

/** Some servers ignore case in paths, so deny rules do too. */
function deniedPath(pattern: string, path: string): boolean {
  return pathMatches(pattern.toLowerCase(), path.toLowerCase());
}

function deniedBy(rule: NetworkRule): EgressRefused {
  return { permitted: false, reason: 'is denied by the operator', rule };
}

/**
 * The path of a request target (`/v1/x?y`) in the form that rules compare: without the query, and
 * without unnecessary escapes. `undefined` for a path that servers interpret differently, to which
 * path rules cannot apply: dot segments, doubled or escaped slashes, backslashes, escaped escapes.
 */
function plainPath(target: string): string | undefined {
  const written = target.replace(/\?.*$/s, '');
  if (!written.startsWith('/') || /[^\x21-\x7e]|[\\#]|%(?![0-9a-f]{2})/i.test(written)) return undefined;
  if (/%(?:2f|5c|23|3b|3f|25|[01][0-9a-f]|7f)/i.test(written)) return undefined;
  const path = written.replace(/%([0-9a-f]{2})/gi, (octet, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : octet.toUpperCase();
  });
  if (path.includes('//')) return undefined;
  // Some servers strip what follows a semicolon before they resolve dots.
  if (path.split('/').some((segment) => /^\.{1,2}(?:;|$)/.test(segment))) return undefined;
  return path;
}
