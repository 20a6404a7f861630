import { Capabilities } from '@ambit/core/execute';
import { RequestedLimits } from '@ambit/core/policy';
import { z } from 'zod';

const { filesystem, network, env, secrets, exec, state, memory, host } = Capabilities.shape;
const { read, write } = filesystem.unwrap().shape;

/**
 * The capabilities that a caller limits a call to. The shapes are the sidecar's, without their
 * defaults: an absent kind is not limited, and an empty list removes the whole kind.
 */
const NarrowedCapabilities = z.strictObject({
  filesystem: z
    .strictObject({ read: read.unwrap().exactOptional(), write: write.unwrap().exactOptional() })
    .exactOptional(),
  network: network.unwrap().exactOptional(),
  env: env.unwrap().exactOptional(),
  secrets: secrets.unwrap().exactOptional(),
  exec: exec.unwrap().exactOptional(),
  state: state.unwrap().exactOptional(),
  memory: memory.unwrap().exactOptional(),
  host: host.describe('Capabilities without it remove it: every limit must name it.'),
} satisfies Record<keyof Capabilities, z.ZodType>);

/** Fields that limit a call: from its caller, or as the upper bound of the caller's key. */
export const NarrowingShape = {
  capabilities: NarrowedCapabilities.exactOptional(),
  limits: RequestedLimits.exactOptional(),
};

/** A narrowing, with only these fields. */
export const Narrowing = z.strictObject(NarrowingShape);
export type Narrowing = z.output<typeof Narrowing>;
