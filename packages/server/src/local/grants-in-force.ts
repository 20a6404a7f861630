import { readFile } from 'node:fs/promises';
import type { Capabilities, Tier } from '@ambit/core/execute';
import { amountText, items, type LimitName, tiersWith } from '@ambit/core/policy';
import { isBroken, usableSkill } from '@ambit/core/skill';
import type { Environment } from '@ambit/runtime';
import { isMap, isNode, LineCounter, parseDocument } from 'yaml';
import type { Config } from '../config/config.ts';
import { approvalKey, versionKey } from '../installs/decisions.ts';
import { inspectDecisions } from '../setup/inspect-decisions.ts';
import { catalogOf } from '../setup/skill-service.ts';

/** One thing that a skill may do now. */
export interface GrantInForce {
  skill: string;
  /** Its key in the configuration, `limits.NAME`, `tier` or `deny`. */
  capability: string;
  item: string;
  /** The decision: a line of the configuration, a policy of the cluster, an approval or a tier. */
  from: string;
  /** When it ends, in ISO 8601; `null`: not by itself. */
  until: string | null;
}

/**
 * Lists what the operator grants, by skill. For one skill, also lists its tier and what decides that, and what no skill gets.
 * Rejects with `SKILL_NOT_FOUND` for a skill that neither exists nor is granted anything.
 */
export async function grantsInForce(
  config: Config,
  environment: Environment,
  skillId?: string,
): Promise<GrantInForce[]> {
  const lineOf = await linesIn(config);
  const granted = Object.entries(config.grants).flatMap(([skill, grant]) => grantedTo(skill, grant, lineOf));
  if (skillId === undefined) return granted;
  const catalog = catalogOf(config, environment);
  try {
    const isGranted = Object.hasOwn(config.grants, skillId);
    const found = isGranted ? await catalog.find(skillId) : await usableSkill(catalog, skillId);
    const id = found?.id ?? skillId;
    const own = granted.filter(({ skill }) => skill === id);
    if (found === undefined || isBroken(found)) return own;
    return [
      await tierOf(found, config, environment),
      ...own,
      ...tierLimits(found, config),
      ...denied(id, config, lineOf),
    ];
  } finally {
    await catalog.close();
  }
}

type LineOf = (path: readonly (string | number)[]) => string;

function grantedTo(skill: string, grant: Config['grants'][string], lineOf: LineOf): GrantInForce[] {
  const rest = { skill, until: null };
  const { limits = {}, ...capabilities } = grant;
  return [
    ...itemsOf(capabilities, ['grants', skill], lineOf).map((each) => ({ ...rest, ...each })),
    ...Object.entries(limits).map(([name, value = 0]) => ({
      ...rest,
      capability: `limits.${name}`,
      item: amountText(name, value),
      from: lineOf(['grants', skill, 'limits', name]),
    })),
  ];
}

function itemsOf(
  capabilities: Capabilities,
  path: readonly string[],
  lineOf: LineOf,
): Pick<GrantInForce, 'capability' | 'item' | 'from'>[] {
  const counts = new Map<string, number>();
  return items(capabilities).map(({ kind, text }) => {
    const at = counts.get(kind) ?? 0;
    counts.set(kind, at + 1);
    return { capability: kind, item: text, from: lineOf([...path, ...kind.split('.'), at]) };
  });
}

/** The tier of a skill, and what decides it. */
async function tierOf(
  {
    id,
    tier,
    digest,
    root,
    isInstalled,
  }: { id: string; tier: Tier; digest: string; root: string; isInstalled?: boolean | undefined },
  config: Config,
  environment: Environment,
): Promise<GrantInForce> {
  const rest = { skill: id, capability: 'tier', item: tier };
  if (isInstalled !== true) return { ...rest, from: `its folder ${root}`, until: null };
  const { approvals } = await inspectDecisions(config, environment);
  const version = versionKey(digest, config.installed[id]?.dependencies?.digest ?? null);
  const approval = approvals.get(approvalKey(id, version));
  if (approval === undefined) return { ...rest, from: 'installed and not approved', until: null };
  return { ...rest, from: `approved by ${approval.by} at ${approval.at}`, until: approval.until ?? null };
}

/** The limits of its programs that no grant replaces. */
function tierLimits({ id, tier }: { id: string; tier: Tier }, config: Config): GrantInForce[] {
  if (tier === 'untrusted') return [];
  const { default: usual, max } = tiersWith(config.tiers)[tier].limits.process;
  const names: readonly LimitName[] = ['memoryBytes', 'timeoutMs'];
  return names
    .filter((name) => config.grants[id]?.limits?.[name] === undefined)
    .map((name) => ({
      skill: id,
      capability: `limits.${name}`,
      item: `${amountText(name, usual[name] ?? 0)} (at most ${amountText(name, max[name] ?? 0)})`,
      from: `tier ${tier}`,
      until: null,
    }));
}

function denied(skill: string, { deny }: Config, lineOf: LineOf): GrantInForce[] {
  return itemsOf(deny, ['deny'], lineOf).map(({ capability, item, from }) => ({
    skill,
    capability: 'deny',
    item: `${capability} ${item}`,
    from,
    until: null,
  }));
}

/** Finds the line of the configuration that decides something. */
async function linesIn({ file, clusterPolicy }: Config): Promise<LineOf> {
  if (clusterPolicy?.own != null) return () => `cluster policy, revision ${clusterPolicy.revision}`;
  if (file === undefined) return () => 'default';
  const lines = new LineCounter();
  const document = parseDocument(await readFile(file, 'utf8'), { lineCounter: lines, logLevel: 'error' });
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
      const key = path[length - 1];
      // Of a map, the key: its value can begin on a later line.
      const pair = isMap(parent)
        ? parent.items.find((each) => isNode(each.key) && String(each.key) === key)
        : undefined;
      const node = pair?.key ?? document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return `${file}:${lines.linePos(node.range[0]).line}`;
    }
    return file;
  };
}
