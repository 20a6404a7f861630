import { Capabilities, RequestedLimits } from '@ambit/core';
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

const Argument = z
  .string()
  .max(32_768)
  .refine((argument) => !argument.includes('\0'), 'an argument cannot hold a NUL character');

/** The body of `POST /skills/:id/execute`. `input` is for skills with protocol json, `args` and `stdin` for command. */
export const ExecuteBody = z.strictObject({
  input: z.unknown().optional(),
  args: z.array(Argument).max(1000).optional(),
  stdin: z.string().optional(),
  capabilities: NarrowedCapabilities.exactOptional(),
  limits: RequestedLimits.exactOptional(),
});
