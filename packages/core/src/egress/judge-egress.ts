import type { NetworkRule } from '../capability/capabilities.ts';
import { type Endpoint, endpointOf, hostMatches, pathMatches, type Scheme } from '../capability/network.ts';
import { plainPath } from './plain-path.ts';

/** Where a connection leads. */
export interface Origin {
  scheme: Scheme;
  /** In its one form (`canonicalHost`). */
  host: string;
  port: number;
}

/** One request there. `target` is its path and query. */
export interface EgressRequest extends Origin {
  method: string;
  target: string;
}

/** `reason` goes on from what was requested: "evil.example:443 is not granted to this skill". */
interface EgressRefused {
  permitted: false;
  reason: string;
  /** The deny rule, when one speaks. */
  rule?: NetworkRule;
  /** What to do, where no grant helps. */
  remedy?: string;
}

/** What rules say of a connection before any request is seen. */
export type OriginVerdict =
  /** `wholly`: whatever is asked there is permitted, so that nobody has to look. */
  { permitted: true; rule: NetworkRule; wholly: boolean } | EgressRefused;

/** What rules say of one request. `narrowed`: they had to look at its method or its path. */
export type RequestVerdict = { permitted: true; rule: NetworkRule; narrowed: boolean } | EgressRefused;

const notGranted: EgressRefused = { permitted: false, reason: 'is not granted to this skill' };

/** Whether anything may be asked at `origin`. A deny rule with methods or paths speaks only of requests. */
export function judgeOrigin(
  rules: readonly NetworkRule[],
  deny: readonly NetworkRule[],
  origin: Origin,
): OriginVerdict {
  const denied = deny.filter((rule) => deniesOrigin(endpointOf(rule), origin));
  const whole = denied.find((rule) => !isNarrow(endpointOf(rule)));
  if (whole !== undefined) return deniedBy(whole);
  const there = rules.filter((rule) => permitsOrigin(endpointOf(rule), origin));
  const open = there.find((rule) => !isNarrow(endpointOf(rule)));
  const rule = open ?? there[0];
  if (rule === undefined) return grantedForOtherScheme(rules, origin) ?? notGranted;
  return { permitted: true, rule, wholly: open !== undefined && denied.length === 0 };
}

/** Whether this request may be made. Deny rules win; rules about paths refuse a path that servers read in different ways. */
export function judgeRequest(
  rules: readonly NetworkRule[],
  deny: readonly NetworkRule[],
  request: EgressRequest,
): RequestVerdict {
  const origin = judgeOrigin(rules, deny, request);
  if (!origin.permitted) return origin;
  const there = rules.filter((rule) => permitsOrigin(endpointOf(rule), request));
  const denied = deny.filter((rule) => deniesOrigin(endpointOf(rule), request));
  const path = plainPath(request.target);
  if (path === undefined && [...there, ...denied].some((rule) => endpointOf(rule).paths !== undefined)) {
    return {
      permitted: false,
      reason: 'is asked for a path that can be read in more than one way',
      remedy: 'no grant does; ask for the path in its plain form, without "//", ".." or escaped slashes',
    };
  }
  const denies = denied.find((rule) => matches(endpointOf(rule), request.method, path, deniedPath));
  if (denies !== undefined) return deniedBy(denies);
  const rule = there.find((each) => matches(endpointOf(each), request.method, path, pathMatches));
  if (rule === undefined) {
    return {
      permitted: false,
      reason: `is not granted to this skill for ${request.method} ${path ?? ''}`.trim(),
    };
  }
  return { permitted: true, rule, narrowed: !origin.wholly };
}

/** Whether a rule names this very address and port, which is the only way to be granted an address that is special. */
export function grantsAddress(rules: readonly NetworkRule[], address: string, port: number): boolean {
  return rules.some((rule) => {
    const endpoint = endpointOf(rule);
    return endpoint.host === address && endpoint.port === port;
  });
}

/** Whether a deny rule names this very address, whatever name led there. */
export function deniesAddress(deny: readonly NetworkRule[], address: string, port: number): boolean {
  return deny.some((rule) => {
    const { host, namedPort, ...endpoint } = endpointOf(rule);
    return host === address && (namedPort === undefined || namedPort === port) && !isNarrow(endpoint);
  });
}

function permitsOrigin(rule: Endpoint, { scheme, host, port }: Origin): boolean {
  return rule.scheme === scheme && rule.port === port && hostMatches(rule.host, host);
}

/** A rule without a scheme means TLS, which is easy to miss when the host and the port are right. */
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

/** There are servers to which case in a path means nothing: what is denied is denied in every case. */
function deniedPath(pattern: string, path: string): boolean {
  return pathMatches(pattern.toLowerCase(), path.toLowerCase());
}

function deniedBy(rule: NetworkRule): EgressRefused {
  return { permitted: false, reason: 'is denied by a rule of the operator', rule };
}
