import { z } from 'zod';
import { NetworkRule } from '../egress/network-rule.ts';
import { programSetNames } from './program-sets.ts';

const EnvironmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not a name of an environment variable');

/** Absolute and normalized, so that prefixes can be compared. */
const HostPath = z
  .string()
  .max(4096)
  .refine((path) => path.startsWith('/'), 'write an absolute path')
  .refine((path) => !path.includes('\0'), 'a path cannot contain a NUL byte')
  .refine(
    (path) => path === '/' || !/\/(\.{1,2})?(\/|$)/.test(path),
    'write the path without "//", "." or ".." and without a trailing slash',
  );

/**
 * `workspace` is the call's own folder. `granted` stands for every path that the operator grants to
 * the skill.
 */
const FilesystemEntry = z.union([z.literal('workspace'), z.literal('granted'), HostPath]);

const Secret = z.strictObject({ name: EnvironmentName, hosts: z.array(z.string().min(1)).min(1) });

/**
 * The accesses of one call. A sidecar requests, an operator grants and a caller narrows; the call gets
 * the intersection. An absent key or an empty list allows nothing.
 */
export const Capabilities = z.strictObject({
  filesystem: z
    .strictObject({ read: z.array(FilesystemEntry).default([]), write: z.array(FilesystemEntry).default([]) })
    .default({ read: [], write: [] }),
  network: z.array(NetworkRule).default([]),
  env: z.array(EnvironmentName).default([]),
  secrets: z.array(Secret).default([]),
  /** Host programs, by name (`python3`) or set (`@posix`). */
  exec: z
    .array(
      z
        .string()
        .regex(/^@?[A-Za-z0-9][A-Za-z0-9._+-]*$/, 'write the name of a program, not a path: python3')
        .refine((name) => !name.startsWith('@') || programSetNames.includes(name), {
          error: `unknown set of programs; known sets: ${programSetNames.join(', ')}`,
        }),
    )
    .default([]),
  state: z.enum(['none', 'read', 'write']).default('none'),
  memory: z.enum(['none', 'read']).default('none'),
  /**
   * Everything that a user of the host may do: its files, network, environment and programs. Only for tier `local`. Unlike
   * other kinds, a narrowing that does not name it removes it, and a ceiling that does not name it refuses the call.
   * Absent: `false`.
   */
  host: z.boolean().exactOptional(),
});
export type Capabilities = z.output<typeof Capabilities>;

/** Allows nothing. */
export const noCapabilities: Capabilities = Capabilities.parse({});

/** The schema of records and answers, with its name in the OpenAPI document. */
export const RecordedCapabilities = Capabilities.meta({
  id: 'Capabilities',
  description: 'What a call may access, or requests. An empty list grants nothing.',
});

/** A capability, named by its key in the configuration. */
export const CapabilityKind = z.enum([
  'filesystem.read',
  'filesystem.write',
  'network',
  'env',
  'secrets',
  'exec',
  'state',
  'memory',
  'host',
]);
export type CapabilityKind = z.output<typeof CapabilityKind>;

/** The kinds that `capabilities` uses, in the order of the schema. */
export function capabilityKinds(capabilities: Capabilities): CapabilityKind[] {
  const { filesystem, network, env, secrets, exec, state, memory, host } = capabilities;
  const used: Record<CapabilityKind, boolean> = {
    'filesystem.read': filesystem.read.length > 0,
    'filesystem.write': filesystem.write.length > 0,
    network: network.length > 0,
    env: env.length > 0,
    secrets: secrets.length > 0,
    exec: exec.length > 0,
    state: state !== 'none',
    memory: memory !== 'none',
    host: host === true,
  };
  return (Object.keys(used) as CapabilityKind[]).filter((kind) => used[kind]);
}
