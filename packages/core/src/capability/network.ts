import { canonicalHost } from '../egress/canonical-host.ts';
import type { NetworkRule } from './capabilities.ts';

/** Plain HTTP, or TLS. */
export type Scheme = 'http' | 'https';

/** A rule, taken apart. */
export interface Endpoint {
  /** What the rule names, and nothing when it names none: a deny rule then means both. */
  namedScheme: Scheme | undefined;
  /** `http` where it is named or the port is 80. */
  scheme: Scheme;
  /** In its one form (`canonicalHost`); `*.` in front stands for one or more labels. */
  host: string;
  namedPort: number | undefined;
  /** 443 unless the rule names another, or the scheme `http`. */
  port: number;
  /** Absent: all of them. */
  methods: readonly string[] | undefined;
  paths: readonly string[] | undefined;
}

/** Whether everything that `narrow` permits is permitted by `wide`. Without a port a rule means 443, or 80 after `http://`. */
export function ruleIncludes(wide: NetworkRule, narrow: NetworkRule): boolean {
  const [outer, inner] = [endpointOf(wide), endpointOf(narrow)];
  return (
    hostMatches(outer.host, inner.host) &&
    outer.scheme === inner.scheme &&
    outer.port === inner.port &&
    listCovers(outer.methods, inner.methods, (a, b) => a === b) &&
    listCovers(outer.paths, inner.paths, pathMatches)
  );
}

/** Whether a deny rule touches anything that `rule` permits. Without a port a deny rule means every port. */
export function ruleOverlaps(deny: NetworkRule, rule: NetworkRule): boolean {
  const [denied, wanted] = [endpointOf(deny), endpointOf(rule)];
  return (
    (hostMatches(denied.host, wanted.host) || hostMatches(wanted.host, denied.host)) &&
    (denied.namedScheme === undefined || denied.scheme === wanted.scheme) &&
    (denied.namedPort === undefined || denied.port === wanted.port)
  );
}

/** A rule as one line, for messages and records. */
export function ruleText(rule: NetworkRule): string {
  if (typeof rule === 'string') return rule;
  const list = (key: string, values: readonly string[] | undefined): string =>
    values === undefined ? '' : `, ${key}: [${values.map((value) => JSON.stringify(value)).join(', ')}]`;
  return `{ host: ${JSON.stringify(rule.host)}${list('methods', rule.methods)}${list('paths', rule.paths)} }`;
}

/** Takes a rule apart: `[http://|https://]host[:port]`, with or without methods and paths. */
export function endpointOf(rule: NetworkRule): Endpoint {
  const {
    host: text,
    methods,
    paths,
  } = typeof rule === 'string' ? { host: rule, methods: undefined, paths: undefined } : rule;
  const parts = /^(?:(https?):\/\/)?(\*\.)?(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/i.exec(text);
  const namedScheme = parts?.[1]?.toLowerCase() as Scheme | undefined;
  const namedPort = parts?.[4] === undefined ? undefined : Number(parts[4]);
  const scheme = namedScheme ?? (namedPort === 80 ? 'http' : 'https');
  const host = canonicalHost(parts?.[3] ?? '');
  return {
    namedScheme,
    scheme,
    // What does not parse stays whole, so that it equals only itself and covers nothing else.
    host: host === undefined ? text.toLowerCase() : `${parts?.[2] ?? ''}${host}`,
    namedPort,
    port: namedPort ?? (scheme === 'http' ? 80 : 443),
    methods,
    paths,
  };
}

/** Whether a host, in its one form, is the pattern or, when that starts with `*.`, lies beneath it. */
export function hostMatches(pattern: string, host: string): boolean {
  if (pattern === host) return true;
  return pattern.startsWith('*.') && host.endsWith(pattern.slice(1));
}

/** `/v1/**` is everything beneath `/v1/`; any other pattern is itself. */
export function pathMatches(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('/**') && path.startsWith(pattern.slice(0, -2)));
}

/** An absent list permits everything of its kind. */
function listCovers(
  outer: readonly string[] | undefined,
  inner: readonly string[] | undefined,
  covers: (outer: string, inner: string) => boolean,
): boolean {
  if (outer === undefined) return true;
  return inner?.every((item) => outer.some((pattern) => covers(pattern, item))) ?? false;
}
