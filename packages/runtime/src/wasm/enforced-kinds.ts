import type { CapabilityKind } from '@ambit/core/internal';
import { networkKinds } from '../egress/call-egress.ts';

/** The capabilities that the WASM executor enforces itself. */
export const ownKinds = [
  'filesystem.read',
  'filesystem.write',
  'env',
  'state',
  'memory',
] as const satisfies readonly CapabilityKind[];

/** Whether a host can report a violation of this capability. */
export function isEnforcedKind(capability: string): capability is CapabilityKind {
  return [...ownKinds, ...networkKinds].some((kind) => kind === capability);
}
