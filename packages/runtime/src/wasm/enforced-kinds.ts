import type { CapabilityKind } from '@ambit/core/internal';
import { networkKinds } from '../egress/call-egress.ts';

/** What the WASM executor enforces itself. */
export const ownKinds = [
  'filesystem.read',
  'filesystem.write',
  'env',
  'state',
  'memory',
] as const satisfies readonly CapabilityKind[];

/** Whether a host can say of a call that it has violated this. */
export function isEnforcedKind(capability: string): capability is CapabilityKind {
  return [...ownKinds, ...networkKinds].some((kind) => kind === capability);
}
