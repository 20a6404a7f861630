import type { NetworkRule } from './capabilities.ts';

const defaultPort = 443;

interface Endpoint {
  /** Lower case, without a trailing dot; `*.` in front stands for one or more labels. */
  host: string;
  port: number | undefined;
  methods: readonly string[] | undefined;
  paths: readonly string[] | undefined;
}

/** Whether everything that `narrow` permits is permitted by `wide`. Without a port a rule means 443. */
export function ruleCovers(wide: NetworkRule, narrow: NetworkRule): boolean {
  const [outer, inner] = [endpoint(wide), endpoint(narrow)];
  return (
    hostCovers(outer.host, inner.host) &&
    (outer.port ?? defaultPort) === (inner.port ?? defaultPort) &&
    listCovers(outer.methods, inner.methods, (a, b) => a === b) &&
    listCovers(outer.paths, inner.paths, pathCovers)
  );
}

/** Whether a deny rule touches anything that `rule` permits. Without a port a deny rule means every port. */
export function ruleOverlaps(deny: NetworkRule, rule: NetworkRule): boolean {
  const [denied, wanted] = [endpoint(deny), endpoint(rule)];
  return (
    (hostCovers(denied.host, wanted.host) || hostCovers(wanted.host, denied.host)) &&
    (denied.port === undefined || denied.port === (wanted.port ?? defaultPort))
  );
}

/** A rule as one line, for messages and records. */
export function ruleText(rule: NetworkRule): string {
  if (typeof rule === 'string') return rule;
  const list = (key: string, values: readonly string[] | undefined): string =>
    values === undefined ? '' : `, ${key}: [${values.map((value) => JSON.stringify(value)).join(', ')}]`;
  return `{ host: ${JSON.stringify(rule.host)}${list('methods', rule.methods)}${list('paths', rule.paths)} }`;
}

function endpoint(rule: NetworkRule): Endpoint {
  const { host, methods, paths } =
    typeof rule === 'string' ? { host: rule, methods: undefined, paths: undefined } : rule;
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(host);
  return {
    // What does not parse stays whole, so that it equals only itself and covers nothing else.
    host: (parts?.[1] ?? host).toLowerCase().replace(/\.$/, ''),
    port: parts?.[2] === undefined ? undefined : Number(parts[2]),
    methods,
    paths,
  };
}

function hostCovers(pattern: string, host: string): boolean {
  if (pattern === host) return true;
  return pattern.startsWith('*.') && host.endsWith(pattern.slice(1));
}

function pathCovers(pattern: string, path: string): boolean {
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
