import { z } from 'zod';
import { programSetNames } from './program-sets.ts';

/**
 * `host` or `host:port` with an optional leading `*.`, and `http://` in front for plain HTTP; what a request may do there,
 * when narrowed. `granted` stands for whatever rules the operator grants to this skill.
 */
export const NetworkRule = z.union([
  z.string().min(1).max(300),
  z.strictObject({
    host: z.string().min(1).max(300),
    methods: z.array(z.string().regex(/^[A-Z]+$/, 'write methods in capitals: GET')).optional(),
    paths: z.array(z.string().startsWith('/', 'a path starts with /')).optional(),
  }),
]);
export type NetworkRule = z.output<typeof NetworkRule>;

const EnvironmentName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not the name of an environment variable');

/** Absolute, and already in its plain form, so that comparing prefixes is comparing places. */
const HostPath = z
  .string()
  .max(4096)
  .refine((path) => path.startsWith('/'), 'write an absolute path')
  .refine((path) => !path.includes('\0'), 'a path cannot hold a NUL byte')
  .refine(
    (path) => path === '/' || !/\/(\.{1,2})?(\/|$)/.test(path),
    'write the path without "//", "." or "..", and without a slash at its end',
  );

/** `workspace` is the call's own directory; `granted` stands for whatever paths the operator grants to this skill. */
const FilesystemEntry = z.union([z.literal('workspace'), z.literal('granted'), HostPath]);

const Secret = z.strictObject({ name: EnvironmentName, hosts: z.array(z.string().min(1)).min(1) });

/**
 * What one call may touch. Requested by a sidecar, granted by an operator, narrowed by a caller; what runs has the
 * intersection. Absence means nothing allowed: an absent key and an empty list are the same.
 */
export const Capabilities = z.strictObject({
  filesystem: z
    .strictObject({ read: z.array(FilesystemEntry).default([]), write: z.array(FilesystemEntry).default([]) })
    .default({ read: [], write: [] }),
  network: z.array(NetworkRule).default([]),
  env: z.array(EnvironmentName).default([]),
  secrets: z.array(Secret).default([]),
  /** Host programs, by bare name (`python3`) or by a set's (`@posix`). */
  exec: z
    .array(
      z
        .string()
        .regex(/^@?[A-Za-z0-9][A-Za-z0-9._+-]*$/, 'name a program, not a path: python3')
        .refine((name) => !name.startsWith('@') || programSetNames.includes(name), {
          error: `the sets of programs that there are: ${programSetNames.join(', ')}`,
        }),
    )
    .default([]),
  state: z.enum(['none', 'read', 'write']).default('none'),
  memory: z.enum(['none', 'read']).default('none'),
});
export type Capabilities = z.output<typeof Capabilities>;

/** Nothing allowed: what an absent key comes to, everywhere. */
export const noCapabilities: Capabilities = Capabilities.parse({});

/** A capability by its place in the configuration, so that a denial names the line to write. */
export type CapabilityKind =
  | 'filesystem.read'
  | 'filesystem.write'
  | 'network'
  | 'env'
  | 'secrets'
  | 'exec'
  | 'state'
  | 'memory';

/** The kinds that `capabilities` uses at all, in the order of the schema. */
export function capabilityKinds(capabilities: Capabilities): CapabilityKind[] {
  const { filesystem, network, env, secrets, exec, state, memory } = capabilities;
  const used: Record<CapabilityKind, boolean> = {
    'filesystem.read': filesystem.read.length > 0,
    'filesystem.write': filesystem.write.length > 0,
    network: network.length > 0,
    env: env.length > 0,
    secrets: secrets.length > 0,
    exec: exec.length > 0,
    state: state !== 'none',
    memory: memory !== 'none',
  };
  return (Object.keys(used) as CapabilityKind[]).filter((kind) => used[kind]);
}
