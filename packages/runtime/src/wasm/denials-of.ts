import type { Grant, RunResult } from '@ambit/core/execute';
import {
  type CapabilityKind,
  capabilityKinds,
  type Denial,
  grantLine,
  onlyTrusted,
  tierRemedy,
} from '@ambit/core/policy';
import { isUnapprovedPython } from '@ambit/core/skill';
import { networkKinds } from '../egress/call-egress.ts';
import type { HostAnswer } from './pool/wasm-host.ts';

/** The capabilities that the WASM executor enforces itself, besides `state`. */
export const ownKinds = [
  'filesystem.read',
  'filesystem.write',
  'env',
  'memory',
] as const satisfies readonly CapabilityKind[];

/** Whether a host can report a violation of this capability. */
function isEnforcedKind(capability: string): capability is CapabilityKind {
  return [...ownKinds, 'state' as const, ...networkKinds].some((kind) => kind === capability);
}

/** The capability that the call used without a grant. */
export function denialsOf(grant: Grant, end: HostAnswer['end']): Pick<RunResult, 'denials'> {
  if (end.status !== 'done' || end.done.verdict.status !== 'capability-violated') return {};
  const { capability, detail, item } = end.done.verdict;
  return isEnforcedKind(capability) ? { denials: [denialOf(grant, capability, item ?? detail)] } : {};
}

/**
 * Requested capabilities without a grant are refused before the run. At run time, the capability
 * was never requested, or the caller took it away.
 */
function denialOf(
  { skill, narrowed, operator }: Grant,
  capability: CapabilityKind,
  requested: string,
): Denial {
  const ownRequest = skill.run.capabilities;
  if (narrowed && capabilityKinds(ownRequest).includes(capability)) {
    const remedy = 'include it in "capabilities" of the call, or leave "capabilities" out';
    return { capability, requested, reason: 'may have been left out by the caller', remedy };
  }
  if (isUnapprovedPython(skill))
    return { capability, requested, reason: onlyTrusted, remedy: tierRemedy(skill) };
  const line = grantLine(skill.id, capability, requested, operator);
  const { read, write } = ownRequest.filesystem;
  const byOperator = (capability === 'filesystem.read' ? [...read, ...write] : write).includes('granted');
  if (capability.startsWith('filesystem.') && byOperator) {
    return { capability, requested, reason: 'is not granted', remedy: line };
  }
  const remedy = `request it in its ambit.yaml, run.capabilities.${capability}; if its tier does not include it, also add to ambit.config.yaml: ${line}`;
  return { capability, requested, reason: 'is not requested in its ambit.yaml', remedy };
}
