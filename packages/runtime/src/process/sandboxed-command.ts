import { statSync } from 'node:fs';
import type { Grant } from '@ambit/core/execute';
import { capabilityDenied, grantLine, liesWithin, programsNamed, yamlScalar } from '@ambit/core/internal';
import { type Environment, namedVariables } from '../environment/environment.ts';
import type { CallFiles } from './call-files.ts';
import { resolveEntry, skillFolder } from './entry.ts';
import { grantedMounts } from './granted-paths.ts';
import { findHostProgram, type HostProgram, hostProgram } from './host-program.ts';
import { type NetworkEntrance, throughProxy } from './network-entrance.ts';
import type { Mount, SandboxedCommand } from './sandbox/sandbox.ts';
import { skillMounts } from './skill-mounts.ts';

/** What a call has around it, beside its grant. */
type Around = Parameters<typeof grantedMounts>[1] & {
  network?: NetworkEntrance | undefined;
  files?: CallFiles | undefined;
};

/** How a skill is started. */
export interface SkillCommand extends SandboxedCommand {
  /** The granted program that runs its entry; `undefined` for an entry that the kernel starts by itself. */
  interpreter: string | undefined;
}

/**
 * The command that a granted call comes to, with what exists around it. `args` follow the program's own. `network` is what
 * a call whose grant has a network finds of it, and `files` what the call finds of state and memory.
 *
 * Throws `SKILL_INVALID` for an entry that cannot be run and a folder with too much that is hidden, `CAPABILITY_DENIED` for a granted path that leads elsewhere and
 * where the call was not left the program that runs it, and for a program of which too little is known, `PROGRAM_MISSING` for a program that the host does not have.
 */
export async function sandboxedCommand(
  grant: Grant,
  args: readonly string[],
  environment: Environment,
  { network, files, ...around }: Around,
): Promise<SkillCommand> {
  const { skill, capabilities } = grant;
  const mounting = skillMounts(skill);
  // Where both fail, the entry's failure says more.
  mounting.catch(() => undefined);
  const entry = await resolveEntry(skill);
  const own = await mounting;
  const programs = grantedPrograms(grant);
  const granted = await grantedMounts(grant, around);
  for (const [name, program] of programs) requireFolder(grant, name, program, granted.mounts);
  const interpreter = entry.interpreter === undefined ? [] : [started(skill.id, entry.interpreter, programs)];
  const [file = entry.file, ...rest] = [...interpreter, ...entry.options, entry.file];
  const writesWorkspace = capabilities.filesystem.write.includes('workspace');
  const entrance = capabilities.network.length > 0 && network ? throughProxy(network) : undefined;
  const programMounts = once([...programs.values()].flatMap(({ mounts }) => mounts));
  return {
    interpreter: entry.interpreter,
    argv: [file, ...rest, ...args],
    env: {
      PATH: '/usr/bin',
      // Not the workspace: what programs keep for themselves at home is no result of a call.
      HOME: '/tmp',
      TMPDIR: '/tmp',
      LANG: 'C.UTF-8',
      // For the modules that a module starts itself.
      ...(skill.module === undefined ? {} : { PYTHONPATH: skillFolder }),
      ...namedVariables(capabilities.env, environment),
      ...entrance?.env,
      ...files?.command.env,
    },
    cwd: writesWorkspace ? '/workspace' : '/tmp',
    mounts: [...programMounts, ...granted.mounts, ...own.mounts],
    links: Object.assign(
      { '/bin': 'usr/bin' },
      ...[...programs.values()].map(({ links }) => links),
      own.links,
    ),
    folders: own.folders,
    hidden: granted.hidden,
    ownsFiles: granted.mounts.length > 0 || !isOpenToAll(skill.root),
    workspace: writesWorkspace ? '/workspace' : undefined,
    unixSockets: granted.mounts.length === 0 && programMounts.every(({ source }) => isSystems(source)),
    stateFile: files?.command.stateFile,
    contents: { ...entrance?.contents, ...files?.command.contents },
    proxy: entrance?.proxy,
  };
}

/** A script of the host's may need what lies beside it, and would fail for reasons that nobody could guess. */
function requireFolder(
  { skill, operator }: Grant,
  name: string,
  { file, unknownFolder }: HostProgram,
  granted: readonly Mount[],
): void {
  if (unknownFolder === undefined || granted.some(({ source }) => liesWithin(file, source))) return;
  const reason = `is not granted: ${name} is the script ${file}, which may read files next to it`;
  const line = grantLine(skill.id, 'filesystem.read', unknownFolder, operator);
  const request = `filesystem: { read: [${yamlScalar(unknownFolder)}] } under run.capabilities in its ambit.yaml`;
  throw capabilityDenied(skill.id, [
    {
      ...{ capability: 'filesystem.read', requested: unknownFolder, reason },
      remedy:
        skill.requestedBy === 'operator' ? line : `write ${request}, and add to ambit.config.yaml: ${line}`,
    },
  ]);
}

/** Programs may need the same. */
function once(mounts: readonly Mount[]): Mount[] {
  return [...new Map(mounts.map((mount) => [mount.target, mount])).values()];
}

/** Whether a place is one of the system's packages, where nobody listens at a socket. */
function isSystems(place: string): boolean {
  return /^\/(usr|etc|lib\w*|var\/(cache|lib))\//.test(place);
}

/** Whether every host user may list and enter a folder. */
function isOpenToAll(folder: string): boolean {
  const { mode } = statSync(folder);
  return (mode & 0o005) === 0o005;
}

/** Where the program is that runs the entry. The skill requests it, so that policy has it unless this call was left less. */
function started(skillId: string, program: string, programs: ReadonlyMap<string, HostProgram>): string {
  const place = programs.get(program);
  if (place !== undefined) return place.path;
  const reason = 'is left out by the call, or by the ceiling of its key';
  throw capabilityDenied(skillId, [
    {
      ...{ capability: 'exec', requested: program, reason },
      remedy: `include exec: [${program}] in the call's capabilities, and in the ceiling of its key`,
    },
  ]);
}

/** By name. A member of a set that the host does not have is left out; a program that is named has to be there. */
function grantedPrograms({
  skill,
  capabilities,
  programsDenied,
  hostDenied,
}: Grant): ReadonlyMap<string, HostProgram> {
  const leftOut = { programs: programsDenied, paths: hostDenied };
  const found = capabilities.exec.flatMap((name) => {
    const { programs, optional } = programsNamed(name);
    return programs.flatMap((program): [string, HostProgram][] => {
      const place = optional ? findHostProgram(program) : hostProgram(program, skill.id, leftOut);
      return place === undefined ? [] : [[program, place]];
    });
  });
  return new Map(found);
}
