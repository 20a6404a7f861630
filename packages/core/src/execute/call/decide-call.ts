import type { CallStarted } from '../../audit/audit-event.ts';
import type { RecordedSkill } from '../../audit/event-parts.ts';
import { capabilityKinds } from '../../capability/capabilities.ts';
import { type CallRequest, callRequest } from '../../grant/call-request.ts';
import { grantCall, type Narrowing } from '../../grant/grant.ts';
import type { Policy } from '../../grant/policy.ts';
import { deepFreeze } from '../../json/deep-freeze.ts';
import { SkillError } from '../../outcome/skill-error.ts';
import { type BrokenSkill, isBroken, skillUnusable } from '../../skill/catalog.ts';
import type { Skill, ToolSkill } from '../../skill/skill.ts';
import { asToolSkill, calledScript } from '../../skill/tool-skill.ts';
import { executorFor } from '../executor/executor-for.ts';
import type { CallerInput, ExecuteDeps, ExecuteRequest } from './execute-request.ts';
import type { GrantedCall, RecordedCall } from './granted-call.ts';

/** A granted call, or why it is refused. */
export type Decision = GrantedCall | { refusal: unknown };

/**
 * Decides whether policy allows a call. Reuses the decision for an earlier call in `deps.grants`, unless this
 * one narrows its grant or names a script. `undefined` if the skill does not exist. Has no effect, so it
 * may come before the record.
 */
export function decideCall(
  deps: ExecuteDeps,
  request: ExecuteRequest,
  found: Skill | BrokenSkill | undefined,
): Decision | undefined {
  if (found === undefined) return undefined;
  const { policy, ceiling, executors, grants } = deps;
  const isPlain = !isBroken(found) && namesNothing(request.input) && !narrows(request.narrowing);
  const known = isPlain ? grants?.get(found)?.get(ceiling ?? policy) : undefined;
  if (known?.policy === policy && known.executors === executors) return known;
  try {
    const granted = grantedCall(deps, request, found);
    if (isPlain && grants !== undefined) {
      const ofSkill = grants.get(found) ?? new WeakMap();
      grants.set(found, ofSkill.set(ceiling ?? policy, { ...granted, policy, executors }));
    }
    return granted;
  } catch (refusal) {
    return { refusal };
  }
}

/** The call with the script and arguments that its command means. A command that means none is refused when it is decided. */
export function withScript(request: ExecuteRequest, found: Skill | BrokenSkill | undefined): ExecuteRequest {
  const { command, ...input } = request.input;
  if (command === undefined || found === undefined || isBroken(found)) return request;
  try {
    return { ...request, input: { ...input, ...calledScript(found, request.input) } };
  } catch (error) {
    if (error instanceof SkillError) return request;
    throw error;
  }
}

function grantedCall(
  { policy, ceiling, executors }: ExecuteDeps,
  { input, narrowing }: ExecuteRequest,
  found: Skill | BrokenSkill,
): GrantedCall {
  const skill = requireTool(found, input);
  const grant = grantCall(policy, skill, { narrowing, ceiling });
  // Many calls and their events share these objects, so none may change them.
  deepFreeze(grant.capabilities);
  deepFreeze(grant.limits);
  return {
    skill,
    grant,
    executor: executorFor(executors, grant),
    recorded: deepFreeze({ skill: recordedSkill(skill), ...recordedRequest(callRequest(policy, skill)) }),
    isContained: capabilityKinds(grant.capabilities).length === 0,
  };
}

function namesNothing({ script, command }: CallerInput): boolean {
  return script === undefined && command === undefined;
}

function narrows(narrowing: Narrowing | undefined): boolean {
  return narrowing !== undefined && Object.values(narrowing).some((each) => each !== undefined);
}

/** Returns the skill's part of the record of a refused call. */
export function recordedRefusal(
  { policy }: ExecuteDeps,
  { skillId, input }: ExecuteRequest,
  found: Skill | BrokenSkill | undefined,
): RecordedCall {
  if (found === undefined || isBroken(found))
    return { skill: { id: skillId.slice(0, 200) }, requested: null };
  // `withScript` has replaced every command that means a script.
  const request = input.command === undefined ? requestOf(policy, found, input.script) : undefined;
  return { skill: recordedSkill(found), ...recordedRequest(request) };
}

/** Returns the request of a call; `undefined` if that is unknown. */
function requestOf(policy: Policy, skill: Skill, script: string | undefined): CallRequest | undefined {
  try {
    const tool = asToolSkill(skill, script);
    return tool && callRequest(policy, tool);
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}

function recordedRequest(request: CallRequest | undefined): Pick<CallStarted, 'requested' | 'added'> {
  if (request?.added === undefined) return { requested: request?.capabilities ?? null };
  return { requested: request.capabilities, added: request.added };
}

function recordedSkill({ id, sidecar, digest, tier, dependencies }: Skill): RecordedSkill {
  const skill = { id, version: sidecar.version ?? null, digest, tier };
  return dependencies === undefined ? skill : { ...skill, dependencies: dependencies.digest };
}

function requireTool(found: Skill | BrokenSkill, input: CallerInput): ToolSkill {
  if (isBroken(found)) throw skillUnusable(found);
  const tool = asToolSkill(found, calledScript(found, input).script);
  if (tool === undefined) {
    throw new SkillError(
      'SKILL_NOT_EXECUTABLE',
      `${found.id} is a prompt skill: it has instructions but no program. Use its body in a prompt, or add scripts/ or an ambit.yaml with a "run" section`,
    );
  }
  return tool;
}
