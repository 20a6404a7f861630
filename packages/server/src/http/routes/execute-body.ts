import { CallContext, Capabilities, RequestedLimits } from '@ambit/core';
import { z } from 'zod';
import { Args, Files, ScriptName } from '../../wire/call-input.ts';

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

/**
 * The body of `POST /skills/:id/execute`. `input` is for skills with protocol json, `args` and `stdin` for command,
 * `script` for those without a sidecar, `files` for those with a workspace, `context` for those that ask for it.
 */
export const ExecuteBody = z.strictObject({
  input: z.unknown().optional(),
  args: Args,
  stdin: z.string().optional(),
  script: ScriptName,
  files: Files,
  context: CallContext.optional(),
  capabilities: NarrowedCapabilities.exactOptional(),
  limits: RequestedLimits.exactOptional(),
  /** Whether the answer is to hold a signed receipt. */
  receipt: z.boolean().default(false),
});

/** Longer chains are programs, and are better written as one. */
const stepsMax = 50;

/** The body of `POST /chain`: what the first skill gets, and the skills in order. */
export const ChainBody = z.strictObject({
  input: z.unknown().optional(),
  stdin: z.string().optional(),
  files: Files,
  context: CallContext.optional(),
  steps: z
    .array(
      z.strictObject({
        skill: z.string().max(200),
        args: Args,
        script: ScriptName,
        capabilities: NarrowedCapabilities.exactOptional(),
        limits: RequestedLimits.exactOptional(),
      }),
    )
    .min(1, 'a chain needs at least one step')
    .max(stepsMax),
});
