import { z } from 'zod';
import { canonicalHost } from './canonical-host.ts';

/**
 * `host` or `host:port`, with an optional leading `*.` and `http://` for plain HTTP. `methods` and
 * `paths` restrict requests. `granted` stands for every rule that the operator grants to the skill.
 */
export const NetworkRule = z.union([
  z.string().min(1).max(300),
  z.strictObject({
    host: z.string().min(1).max(300),
    methods: z.array(z.string().regex(/^[A-Z]+$/, 'write methods in upper case: GET')).optional(),
    paths: z.array(z.string().startsWith('/', 'start the path with /')).optional(),
  }),
]);
export type NetworkRule = z.output<typeof NetworkRule>;

export type Scheme = 'http' | 'https';

/** A parsed rule. */
export interface Endpoint {
  /** Without a scheme, a deny rule applies to both. */
  namedScheme: Scheme | undefined;
  /** `http` if named or if the port is 80. */
  scheme: Scheme;
  /** Canonical (`canonicalHost`). A leading `*.` stands for one or more labels. */
  host: string;
  namedPort: number | undefined;
  /** Default: 443, or 80 for `http`. */
  port: number;
  /** Absent: all. */
  methods: readonly string[] | undefined;
  paths: readonly string[] | undefined;
}

/** Whether `wide` permits everything that `narrow` permits. */
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

/**
 * Whether a deny rule applies to anything that `rule` permits. Without a port it applies to every
 * port.
 */
export function ruleOverlaps(deny: NetworkRule, rule: NetworkRule): boolean {
  const [denied, wanted] = [endpointOf(deny), endpointOf(rule)];
  return (
    (hostMatches(denied.host, wanted.host) || hostMatches(wanted.host, denied.host)) &&
    (denied.namedScheme === undefined || denied.scheme === wanted.scheme) &&
    (denied.namedPort === undefined || denied.port === wanted.port)
  );
}

/** A rule on one line, for messages and records. */
export function ruleText(rule: NetworkRule): string {
  if (typeof rule === 'string') return rule;
  const list = (key: string, values: readonly string[] | undefined): string =>
    values === undefined ? '' : `, ${key}: [${values.map((value) => JSON.stringify(value)).join(', ')}]`;
  return `{ host: ${JSON.stringify(rule.host)}${list('methods', rule.methods)}${list('paths', rule.paths)} }`;
}

const endpointPattern = /^(?:(https?):\/\/)?(\*\.)?(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/i;

/** Parses a rule: `[http://|https://]host[:port]`, with or without methods and paths. */
export function endpointOf(rule: NetworkRule): Endpoint {
  const {
    host: text,
    methods,
    paths,
  } = typeof rule === 'string' ? { host: rule, methods: undefined, paths: undefined } : rule;
  const parts = endpointPattern.exec(text);
  const namedScheme = parts?.[1]?.toLowerCase() as Scheme | undefined;
  const namedPort = parts?.[4] === undefined ? undefined : Number(parts[4]);
  const scheme = namedScheme ?? (namedPort === 80 ? 'http' : 'https');
  const host = canonicalHost(parts?.[3] ?? '');
  return {
    namedScheme,
    scheme,
    // A host that does not parse matches only itself.
    host: host === undefined ? text.toLowerCase() : `${parts?.[2] ?? ''}${host}`,
    namedPort,
    port: namedPort ?? (scheme === 'http' ? 80 : 443),
    methods,
    paths,
  };
}

/**
 * Returns the defect of a rule that an operator wrote, and what to write instead; `undefined` if it is
 * valid. Does not quote the rule, which may contain a password.
 */
export function ruleProblem(rule: NetworkRule): string | undefined {
  const text = typeof rule === 'string' ? rule : rule.host;
  const [, origin, path] = /^((?:https?:\/\/)?[^/?#@]*)([/?#].*)$/is.exec(text) ?? [];
  if (origin !== undefined && isEndpoint(origin)) {
    const paths = /^\/[^?#]+$/.test(path ?? '')
      ? `, or { host: ${JSON.stringify(origin)}, paths: [${JSON.stringify(path)}] }`
      : '';
    return `a host has no path: write ${JSON.stringify(origin)}${paths}`;
  }
  return isEndpoint(text)
    ? undefined
    : 'write a host such as api.example, "*.api.example", api.example:8443 or "http://127.0.0.1:8080"';
}

function isEndpoint(text: string): boolean {
  const parts = endpointPattern.exec(text);
  const port = parts?.[4] === undefined ? 443 : Number(parts[4]);
  return port >= 1 && port <= 65_535 && canonicalHost(parts?.[3] ?? '') !== undefined;
}

/** Whether a canonical host is the pattern, or a subdomain of a pattern that starts with `*.`. */
export function hostMatches(pattern: string, host: string): boolean {
  if (pattern === host) return true;
  return pattern.startsWith('*.') && host.endsWith(pattern.slice(1));
}

/** `/v1/**` matches everything below `/v1/`; any other pattern matches only itself. */
export function pathMatches(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('/**') && path.startsWith(pattern.slice(0, -2)));
}

/** An absent list permits everything. */
function listCovers(
  outer: readonly string[] | undefined,
  inner: readonly string[] | undefined,
  covers: (outer: string, inner: string) => boolean,
): boolean {
  if (outer === undefined) return true;
  return inner?.every((item) => outer.some((pattern) => covers(pattern, item))) ?? false;
}
