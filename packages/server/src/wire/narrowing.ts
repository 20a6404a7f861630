import { Capabilities } from '@ambit/core/execute';
import { RequestedLimits } from '@ambit/core/internal';
import { z } from 'zod';

const { filesystem, network, env, secrets, exec, state, memory } = Capabilities.shape;
const { read, write } = filesystem.unwrap().shape;

/**
 * What a caller takes away from a call. The same shapes as in a sidecar, without their defaults: a kind that is absent
 * stays absent and loses nothing, while an empty list takes all of its kind away.
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
} satisfies Record<keyof Capabilities, z.ZodType>);

/** The fields by which something is taken away from a call: by its caller, or by the ceiling of the caller's key. */
export const NarrowingShape = {
  capabilities: NarrowedCapabilities.exactOptional(),
  limits: RequestedLimits.exactOptional(),
};

/** The same fields and no other. */
export const Narrowing = z.strictObject(NarrowingShape);
export type Narrowing = z.output<typeof Narrowing>;
