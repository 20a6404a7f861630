import { statSync } from 'node:fs';
import { type Grant, programsNamed, SkillError } from '@ambit/core';
import { type Environment, namedVariables } from '../environment/environment.ts';
import { resolveEntry, skillFolder } from './entry.ts';
import { grantedMounts } from './granted-paths.ts';
import { findHostProgram, type HostProgram, hostProgram } from './host-program.ts';
import { type NetworkEntrance, throughProxy } from './network-entrance.ts';
import type { SandboxedCommand } from './sandbox/sandbox.ts';
import { skillMounts } from './skill-mounts.ts';

/**
 * The command that a granted call comes to, with what exists around it. `args` follow the program's own. `network` is what
 * a call whose grant has a network finds of it.
 *
 * Throws `SKILL_INVALID` for an entry that cannot be run and a folder with too much that is hidden, `CAPABILITY_DENIED` for a granted path that leads elsewhere and
 * where the call was not left the program that runs it, `PROGRAM_MISSING` for a program that the host does not have.
 */
export async function sandboxedCommand(
  grant: Grant,
  args: readonly string[],
  environment: Environment,
  { network, ...around }: Parameters<typeof grantedMounts>[1] & { network?: NetworkEntrance | undefined },
): Promise<SandboxedCommand> {
  const { skill, capabilities } = grant;
  const mounting = skillMounts(skill);
  // Where both fail, the entry's failure says more.
  mounting.catch(() => undefined);
  const entry = await resolveEntry(skill);
  const own = await mounting;
  const programs = grantedPrograms(skill.id, capabilities.exec);
  const granted = await grantedMounts(grant, around);
  const interpreter = entry.interpreter === undefined ? [] : [started(skill.id, entry.interpreter, programs)];
  const [file = entry.file, ...rest] = [...interpreter, ...entry.options, entry.file];
  const writesWorkspace = capabilities.filesystem.write.includes('workspace');
  const entrance = capabilities.network.length > 0 && network ? throughProxy(network) : undefined;
  return {
    argv: [file, ...rest, ...args],
    env: {
      PATH: '/usr/bin',
      HOME: writesWorkspace ? '/workspace' : '/tmp',
      TMPDIR: '/tmp',
      LANG: 'C.UTF-8',
      // For the modules that a module starts itself.
      ...(skill.module === undefined ? {} : { PYTHONPATH: skillFolder }),
      ...namedVariables(capabilities.env, environment),
      ...entrance?.env,
    },
    cwd: writesWorkspace ? '/workspace' : '/tmp',
    mounts: [...[...programs.values()].flatMap(({ mounts }) => mounts), ...granted.mounts, ...own.mounts],
    links: Object.assign(
      { '/bin': 'usr/bin' },
      ...[...programs.values()].map(({ links }) => links),
      own.links,
    ),
    folders: own.folders,
    hidden: granted.hidden,
    ownsFiles: granted.mounts.length > 0 || !isOpenToAll(skill.root),
    workspace: writesWorkspace ? '/workspace' : undefined,
    contents: entrance?.contents,
    proxy: entrance?.proxy,
  };
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
  const reason = 'the call, or the ceiling of the key it was made with, leaves it out';
  throw new SkillError('CAPABILITY_DENIED', `${skillId} is run by ${program}: ${reason}`, {
    details: {
      denials: [
        {
          ...{ capability: 'exec', requested: program, reason },
          remedy: `leave exec: [${program}] in the call's capabilities, and in the ceiling of its key`,
        },
      ],
    },
  });
}

/** By name. A member of a set that the host does not have is left out; a program that is named has to be there. */
function grantedPrograms(skillId: string, names: readonly string[]): ReadonlyMap<string, HostProgram> {
  const found = names.flatMap((name) => {
    const { programs, optional } = programsNamed(name);
    return programs.flatMap((program): [string, HostProgram][] => {
      const place = optional ? findHostProgram(program) : hostProgram(program, skillId);
      return place === undefined ? [] : [[program, place]];
    });
  });
  return new Map(found);
}
