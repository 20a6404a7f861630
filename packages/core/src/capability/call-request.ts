import type { ToolSkill } from '../skill/skill.ts';
import { type Capabilities, capabilityKinds } from './capabilities.ts';
import type { Policy } from './policy.ts';

/** What a call requests, before policy judges it. */
export interface CallRequest {
  /** All of it. */
  capabilities: Capabilities;
  /** The part that the operator's grant adds; absent: none. */
  added?: Capabilities;
}

/**
 * What a call of `skill` requests. For a skill that requests nothing itself, the operator's grant is a request as well: it
 * names what the scripts need. What a sidecar requests is a bound, and no grant widens it.
 */
export function callRequest(policy: Policy, skill: ToolSkill): CallRequest {
  const own = skill.run.capabilities;
  const operator = policy.grants.get(skill.id);
  if (operator === undefined || skill.requestedBy !== 'operator') return { capabilities: own };
  // Beside its interpreter and its workspace, such a script requests none of these.
  const { network, env, secrets, state, memory } = operator;
  const [exec, write] = [
    besides(operator.exec, own.exec),
    besides(operator.filesystem.write, own.filesystem.write),
  ];
  const added = {
    ...{ network, env, secrets, state, memory, exec },
    filesystem: { read: operator.filesystem.read, write },
  };
  if (capabilityKinds(added).length === 0) return { capabilities: own };
  const filesystem = { read: added.filesystem.read, write: [...own.filesystem.write, ...write] };
  return { capabilities: { ...added, exec: [...own.exec, ...exec], filesystem }, added };
}

function besides(all: readonly string[], some: readonly string[]): string[] {
  return all.filter((each) => !some.includes(each));
}
