import { type Capabilities, noCapabilities } from '../capability/capabilities.ts';
import { type Item, items } from '../capability/items.ts';
import type { Limits } from '../capability/limits.ts';
import type { Tier } from '../capability/tier.ts';
import { type Grant, grantCall } from '../grant/grant.ts';
import { unmetLimits } from '../grant/limit-remedy.ts';
import type { Policy } from '../grant/policy.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { moduleAt } from '../skill/python-module.ts';
import type { Run } from '../skill/run.ts';
import { declaredRuns, otherScripts, type Skill, type ToolSkill } from '../skill/skill.ts';
import { asToolSkill } from '../skill/tool-skill.ts';

/** One way to call a skill, and what policy gives such a call. */
export interface ScriptGrant {
  /** As a call names it, with its file: `scripts/run.py`, `extract (scripts/run.py)`, `-m MODULE` for any Python module. */
  script: string;
  /** The source of the request; see `ToolSkill`. */
  requestedBy: ToolSkill['requestedBy'];
  run: Run;
  /** `undefined`: policy refuses the call. */
  grant: Grant | undefined;
}

/**
 * Returns the grants of a skill's calls at `tier` under `policy`: one for each run of the sidecar, for each other script, and
 * one for all Python modules. `grantCall` decides, as for a call.
 */
export function scriptGrants(policy: Policy, skill: Skill, tier: Tier): ScriptGrant[] {
  const atTier = { ...skill, tier };
  return calls(skill).flatMap(({ script, asked }) => {
    const tool = toolOf(atTier, asked);
    if (tool === undefined) return [];
    const { requestedBy, run } = tool;
    return [{ script, requestedBy, run, grant: grantOf(policy, tool) }];
  });
}

/** Describes the grant of each call, a line each: `scripts/run.py: network api.example:443, env TZ`. */
export function grantLines(grants: readonly ScriptGrant[]): string[] {
  return grants.flatMap(({ script, grant }) => {
    if (grant === undefined) return [`${script}: nothing, because something that it asks for is not granted`];
    const texts = items(grant.capabilities).map(itemText);
    const line = texts.length === 0 ? 'nothing outside its sandbox' : texts.join(', ');
    return [line, ...unmetLimits(grant)].map((each) => `${script}: ${each}`);
  });
}

/** The limits that calls of a skill do not get although it asks for them, with what gives them, a line each. */
export function limitLines(policy: Policy, skill: Skill): string[] {
  if (!declaredRuns(skill).some(({ run }) => Object.keys(run.limits).length > 0)) return [];
  return scriptGrants(policy, skill, skill.tier).flatMap(({ script, grant }) =>
    grant === undefined ? [] : unmetLimits(grant).map((line) => `${skill.id}: ${script} ${line}`),
  );
}

/**
 * Lists the differences of a later version's calls that a person decides about, a line each: a script or a run that only one
 * version has, and each new access of a script.
 */
export function widenedGrants(before: readonly ScriptGrant[], after: readonly ScriptGrant[]): string[] {
  const old = new Map(before.map((each) => [each.script, each]));
  const lost = before.filter(({ script }) => !after.some((each) => each.script === script));
  return [
    ...after.flatMap((each) => {
      const known = old.get(each.script);
      return known === undefined ? [`${each.script}: it is new`] : gained(known, each);
    }),
    ...lost.map(({ script }) => `${script}: it no longer exists`),
  ];
}

function gained(before: ScriptGrant, after: ScriptGrant): string[] {
  const { script } = after;
  const lines: string[] = [];
  const isDeclared = after.requestedBy === 'sidecar';
  if (isDeclared !== (before.requestedBy === 'sidecar'))
    lines.push(isDeclared ? 'ambit.yaml now limits it' : 'ambit.yaml no longer limits it');
  if (after.run.runtime === 'process' && before.run.runtime === 'wasm') lines.push('run process');
  if (prewarmed(after.run) > prewarmed(before.run)) lines.push('it starts before it is called');
  // Requests too: the operator may grant later what is refused now.
  lines.push(...added(before.run.capabilities, after.run.capabilities));
  lines.push(...added((before.grant ?? before.run).capabilities, after.grant?.capabilities));
  if (before.run.runtime === after.run.runtime && before.grant !== undefined && after.grant !== undefined)
    lines.push(...raisedLimits(before.grant.limits, after.grant.limits));
  return [...new Set(lines)].map((line) => `${script}: ${line}`);
}

function added(before: Capabilities, after: Capabilities = noCapabilities): string[] {
  const had = items(before);
  return items(after)
    .filter((item) => !had.some((each) => each.covers(item)))
    .map(itemText);
}

function raisedLimits(before: Limits, after: Limits): string[] {
  const bound = (limit: number | null): number => limit ?? Number.POSITIVE_INFINITY;
  return (Object.keys(after) as (keyof Limits)[])
    .filter((name) => bound(after[name]) > bound(before[name]))
    .map((name) => `limits.${name} ${after[name] ?? 'unlimited'}`);
}

function itemText({ kind, text }: Item): string {
  return `${kind} ${text}`;
}

function prewarmed(run: Run): number {
  return run.runtime === 'process' ? run.prewarm : 0;
}

/** Every call that names something else. `asked` is what it names; `undefined`: nothing. */
function calls(skill: Skill): { script: string; asked: string | undefined }[] {
  const declared = declaredRuns(skill).map(({ name, run: { entry } }) => ({
    script: name === undefined ? entry : `${name} (${entry})`,
    asked: name,
  }));
  const others = otherScripts(skill).map(({ path }) => ({ script: path, asked: path }));
  const [module] = skill.files.flatMap(({ path }) => moduleAt(path) ?? []);
  return [
    ...declared,
    ...others,
    ...(module === undefined ? [] : [{ script: '-m MODULE', asked: `-m ${module}` }]),
  ];
}

/** `undefined`: no call can name it, as a script whose path is the name of a run. */
function toolOf(skill: Skill, asked: string | undefined): ToolSkill | undefined {
  try {
    return asToolSkill(skill, asked);
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}

function grantOf(policy: Policy, tool: ToolSkill): ScriptGrant['grant'] {
  try {
    return grantCall(policy, tool);
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}
