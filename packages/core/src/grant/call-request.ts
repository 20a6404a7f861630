import { type Capabilities, capabilityKinds, noCapabilities } from '../capability/capabilities.ts';
import { liesWithin } from '../capability/filesystem.ts';
import type { ToolSkill } from '../skill/skill.ts';
import type { Policy } from './policy.ts';

/** A call's request, before policy is applied. */
export interface CallRequest {
  capabilities: Capabilities;
  /** The part that the operator's grant adds; absent: none. */
  added?: Capabilities;
}

/**
 * Returns the request of a call of `skill`. A skill without a sidecar requests nothing, so the operator's
 * grant counts as its request. A sidecar's request is a bound that no grant widens.
 */
export function callRequest(policy: Policy, skill: ToolSkill): CallRequest {
  const own = skill.run.capabilities;
  const operator = policy.grants.has(skill.id) ? grantsLeft(policy, skill.id) : undefined;
  if (operator === undefined || skill.requestedBy !== 'operator') return { capabilities: own };
  // A script without a sidecar requests only its interpreter and its workspace.
  const { network, env, secrets, state, memory, host } = operator;
  const [exec, write] = [
    without(operator.exec, own.exec),
    without(operator.filesystem.write, own.filesystem.write),
  ];
  const added: Capabilities = {
    network,
    env,
    secrets,
    state,
    memory,
    exec,
    filesystem: { read: operator.filesystem.read, write },
  };
  if (host === true) added.host = true;
  if (capabilityKinds(added).length === 0) return { capabilities: own };
  const filesystem = { read: added.filesystem.read, write: [...own.filesystem.write, ...write] };
  return { capabilities: { ...added, exec: [...own.exec, ...exec], filesystem }, added };
}

/**
 * Returns the operator's grant to a skill, without the paths that a deny rule covers. If deny rules cover all paths of a
 * kind, those stay, so that the refusal names the rule.
 */
export function grantsLeft({ grants, deny }: Policy, skillId: string): Capabilities {
  const operator = grants.get(skillId) ?? noCapabilities;
  // As for mounts, a rule for one kind of access excludes the path from the other as well.
  const denied = [...deny.filesystem.read, ...deny.filesystem.write].filter((path) => path.startsWith('/'));
  if (denied.length === 0) return operator;
  const left = <Path extends string>(paths: Path[]): Path[] => {
    const others = paths.filter((path) => !denied.some((rule) => liesWithin(path, rule)));
    return others.some((path) => path.startsWith('/')) ? others : paths;
  };
  const { read, write } = operator.filesystem;
  return { ...operator, filesystem: { read: left(read), write: left(write) } };
}

function without(all: readonly string[], excluded: readonly string[]): string[] {
  return all.filter((each) => !excluded.includes(each));
}
