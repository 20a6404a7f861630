import { Capabilities, type CapabilityKind } from '../capability/capabilities.ts';
import type { Denial } from '../capability/denial.ts';
import { type Item, items } from '../capability/items.ts';
import { endpointOf, type NetworkRule, ruleProblem } from '../egress/network-rule.ts';
import { notGranted } from '../grant/judge-item.ts';
import { ruleFor } from '../grant/network-remedy.ts';
import { markHidden } from '../model-text/visible-text.ts';
import { parseYaml } from '../skill/parse-yaml.ts';

/** One item, as capabilities that have nothing else. */
export interface Need {
  capabilities: Capabilities;
  item: Item;
}

/** One item of a kind. `undefined` for a value that no grant can have. Text of a skill enters grants only here. */
export function needFor(kind: CapabilityKind, value: unknown): Need | undefined {
  const [group, mode] = kind.split('.') as [string, string | undefined];
  const list = kind === 'state' || kind === 'memory' ? value : [value];
  const parsed = Capabilities.safeParse({ [group]: mode === undefined ? list : { [mode]: list } });
  if (!parsed.success) return undefined;
  const [item] = items(parsed.data);
  if (item === undefined || markHidden(item.text) !== item.text) return undefined;
  const isValid = item.rules.every((rule) => ruleProblem(rule) === undefined);
  return isValid ? { capabilities: parsed.data, item } : undefined;
}

/** Reasons of refusals that a grant or a request may change. Today's policy decides. */
const changeable =
  /^is not granted(?:$| to this skill|: )|^is not requested in its ambit\.yaml$|^is not for that host$|^is not allowed at tier |^is denied by the (?:rule |operator$)|, which needs its own grant$/;

/**
 * Returns the lack of a refused call. `undefined` if no grant changes the refusal, `unusable` for text that is
 * not one item, or that is more than what was refused.
 */
export function needOfDenial(denial: Denial, wasRun: boolean): Need | 'unusable' | undefined {
  const { capability, requested, reason, remedy } = denial;
  if (
    capability === 'run' ||
    capability === 'host' ||
    !changeable.test(reason) ||
    remedy.startsWith('no grant ')
  )
    return undefined;
  const value =
    capability === 'network' && wasRun
      ? triedRule(denial)
      : capability === 'secrets' && wasRun
        ? triedSecret(denial)
        : inYaml(requested);
  return (value === undefined ? undefined : needFor(capability, value)) ?? 'unusable';
}

/** A rule or a secret that a record has on one line. */
function inYaml(text: string): unknown {
  if (!text.startsWith('{')) return text;
  try {
    return parseYaml(text);
  } catch {
    return undefined;
  }
}

/** The smallest rule for a request that was refused while the skill ran. Never a pattern: the skill chose the host. */
function triedRule({ requested, reason, remedy }: Denial): NetworkRule | undefined {
  const to = destination(requested);
  if (to === undefined) return undefined;
  const remedied = ruleInRemedy(remedy);
  const rule = remedied !== undefined && isFor(remedied, to, reason) ? remedied : to.rule;
  if (rule.includes('*')) return undefined;
  const [, method, path] = /^is not granted to this skill for ([A-Z]+)(?: (\/\S*))?$/.exec(reason) ?? [];
  if (method === undefined) return rule;
  // At its end, a rule reads this as a pattern.
  if (path?.endsWith('/**') === true) return undefined;
  if (path === undefined) return { host: rule, methods: [method] };
  return { host: rule, methods: [method], paths: [path] };
}

interface Destination {
  host: string;
  port: number;
  rule: string;
}

/** `host:port`, or what a module requested with its scheme. */
function destination(requested: string): Destination | undefined {
  if (ruleProblem(requested) !== undefined) return undefined;
  const { host, port, namedScheme } = endpointOf(requested);
  return { host, port, rule: namedScheme === undefined ? ruleFor({ host, port }) : requested };
}

/** The denial names no scheme and, for a name, no address. Its remedy has both: its last rule is the missing one. */
function ruleInRemedy(remedy: string): string | undefined {
  const request = /run\.capabilities: (\{ network: .*? \})(?:, and add to |$)/.exec(remedy)?.[1];
  const line = /^grants: (\{.*\})$/.exec(remedy)?.[1];
  const read: unknown = inYaml(request ?? line ?? '');
  const capabilities = request === undefined ? Object.values(read ?? {})[0] : read;
  const rules: unknown = (capabilities as { network?: unknown } | undefined)?.network;
  const last: unknown = Array.isArray(rules) ? rules.at(-1) : undefined;
  return typeof last === 'string' && ruleProblem(last) === undefined ? last : undefined;
}

function isFor(rule: string, to: Destination, reason: string): boolean {
  const { host, port } = endpointOf(rule);
  return port === to.port && (host === to.host || reason.startsWith(`resolves to ${host}, `));
}

/** A secret with the host that it was sent to. */
function triedSecret({ requested, remedy }: Denial): unknown {
  const [, name, to = ''] = /^(\w+) to (\S+)$/.exec(requested) ?? [];
  const [, quoted] = /^add ("[^"]*") to the hosts of /.exec(remedy) ?? [];
  const rule: unknown = quoted === undefined ? undefined : inYaml(`{ rule: ${quoted} }`);
  const host = (rule as { rule?: unknown } | undefined)?.rule;
  const at = destination(to);
  if (typeof host !== 'string' || host.includes('*') || at === undefined || !isFor(host, at, ''))
    return undefined;
  return { name, hosts: [host] };
}

/** Whether a skill left the choice of paths or hosts to its operator, who made none. */
export function isChoice({ requested, reason }: Denial): boolean {
  return requested === 'granted' && reason === notGranted;
}
