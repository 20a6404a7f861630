import { existsSync, realpathSync, statSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { Grant } from '@ambit/core/execute';
import {
  capabilityDenied,
  grantLine,
  liesWithin,
  onlyIfNamed,
  programsNamed,
  yamlScalar,
} from '@ambit/core/policy';
import type { Run } from '@ambit/core/skill';
import { type Environment, namedVariables } from '../spawn/environment.ts';
import type { CallFiles } from './call-files.ts';
import { dependencyMounts } from './dependencies/dependency-mounts.ts';
import type { TreeDigests } from './dependencies/tree-digest.ts';
import { type Entry, resolveEntry, skillFolder } from './entry.ts';
import { grantedMounts } from './granted-paths.ts';
import { type HostAccess, type HostSettings, hostAccess } from './host/host-access.ts';
import { type NetworkAccess, proxyAccess } from './network-access.ts';
import {
  findHostProgram,
  type HostProgram,
  hostProgram,
  isSystemPath,
  type LeftOut,
  programsMissing,
} from './programs/host-program.ts';
import type { ProgramData } from './programs/program-data.ts';
import type { Mount, SandboxedCommand } from './sandbox/sandbox.ts';
import type { skillNames } from './script-names.ts';
import { type SkillMounts, skillMounts } from './skill-mounts.ts';

/** The context of a call, besides its grant. */
type CallContext = Parameters<typeof grantedMounts>[1] & {
  network?: NetworkAccess | undefined;
  files?: CallFiles | undefined;
  /** Verifies folders of packages. */
  treeDigests: TreeDigests;
  programData: ProgramData;
  /** Returns the names in the programs of a skill. */
  namesOf: ReturnType<typeof skillNames>;
  /** For grants of `host`, which are refused without it. */
  host?: HostSettings | undefined;
};

/** The command of a skill. */
export interface SkillCommand extends SandboxedCommand {
  /** The granted program that runs its entry; `undefined` if the kernel runs the entry directly. */
  interpreter: string | undefined;
  /** The names of the programs inside; absent: the host's. */
  programs?: readonly string[];
}

/**
 * The command of a granted call. `args` follow the program's own arguments. `network` is its
 * network access, and `files` its state and memory.
 *
 * Throws `SKILL_INVALID` for an entry that cannot run or a folder with too many hidden files.
 * Throws `CAPABILITY_DENIED` for a granted path that leads elsewhere, for an interpreter that the
 * call leaves out, and for a script whose dependencies are unknown. Throws `PROGRAM_MISSING` for a
 * program that the host does not have, and `LOCK_MISMATCH` for packages that are not what was locked.
 */
export async function sandboxedCommand(
  grant: Grant,
  args: readonly string[],
  environment: Environment,
  { network, files, treeDigests, programData, namesOf, host: settings, ...around }: CallContext,
): Promise<SkillCommand> {
  const { skill, capabilities } = grant;
  const entry = resolveEntry(skill);
  const own = await skillMounts(skill);
  const named = await namesOf(skill);
  const isNamed = (tool: string): boolean => named.tools.has(tool) || args.includes(tool);
  const programs = grantedPrograms(grant, entry.lacking, isNamed);
  // Only installed skills have locked packages, and no installed skill has the tier that `host` needs.
  if (capabilities.host === true) {
    if (settings === undefined)
      throw new SkillError(
        'CAPABILITY_UNSUPPORTED',
        `${skill.id} needs host, and this executor has no settings for it; use an executor that lists host in "enforces"`,
      );
    const host = await hostAccess(grant, settings, environment);
    return hostCommand(grant, args, host, { entry, own, programs, files });
  }
  const packages = await dependencyMounts(skill, programs, treeDigests);
  const granted = await grantedMounts(grant, around);
  for (const [name, program] of programs) requireFolder(grant, name, program, granted.mounts);
  const [file = entry.file, ...rest] = commandOf(grant, entry, programs);
  const writesWorkspace = capabilities.filesystem.write.includes('workspace');
  const programsInside = [...new Set([...programs].flatMap(([name, { names = [] }]) => [name, ...names]))];
  const access =
    (capabilities.network.length > 0 || grant.trial) && network
      ? proxyAccess(network, programsInside)
      : undefined;
  const data = await programData.mountsFor(
    [...programs.values()].flatMap(({ names = [] }) => names),
    named.imports,
    leftOutOf(grant),
  );
  const programMounts = deduplicated([...data, ...[...programs.values()].flatMap(({ mounts }) => mounts)]);
  const env: Record<string, string> = {
    PATH: '/usr/bin',
    // Not the workspace: files that programs store in their home folder are not results.
    HOME: '/tmp',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    ...packages.env,
  };
  // For modules that the skill's module starts in turn.
  if (skill.module !== undefined) env['PYTHONPATH'] = withModules(packages.env['PYTHONPATH']);
  return {
    interpreter: entry.interpreter,
    programs: programsInside,
    argv: [file, ...rest, ...args],
    env: {
      ...env,
      ...namedVariables(capabilities.env, environment),
      ...access?.env,
      ...files?.command.env,
    },
    cwd: workingDirectory(skill.run, writesWorkspace, '/tmp'),
    mounts: [
      ...(entry.isTypeScript ? [ownNode()] : []),
      ...programMounts,
      ...packages.mounts,
      ...granted.mounts,
      ...own.mounts,
    ],
    links: Object.assign(
      { '/bin': 'usr/bin' },
      ...[...programs.values()].map(({ links }) => links),
      own.links,
    ),
    folders: own.folders,
    hidden: granted.hidden,
    ownsFiles: granted.mounts.length > 0 || !isWorldReadable(skill.root),
    workspace: writesWorkspace ? '/workspace' : undefined,
    unixSockets: granted.mounts.length === 0 && programMounts.every(({ source }) => isSystemPath(source)),
    stateFile: files?.command.stateFile,
    contents: { ...access?.contents, ...files?.command.contents },
    proxy: access?.proxy,
  };
}

/** The interpreter, its options and the entry. `host`: in the root of the host, where programs have only their own paths. */
function commandOf(
  grant: Grant,
  { interpreter, options, file, isTypeScript }: Entry,
  programs: ReadonlyMap<string, HostProgram>,
  { host = false } = {},
): string[] {
  if (interpreter === undefined) return [...options, file];
  const path = interpreterPath(grant, interpreter, programs, host ? existsSync : undefined);
  if (isTypeScript !== true) return [path, ...options, file];
  const { source, target } = ownNode();
  return [host ? source : target, ...typeOptions(), ...options, file];
}

/** The Node of the daemon, which is recent enough to remove types. */
function ownNode(): Mount {
  return { source: realpathSync(process.execPath), target: '/ambit/node' };
}

/** For what has to be translated, such as `enum`. A later Node may have no such option. */
function typeOptions(): string[] {
  const transform = '--experimental-transform-types';
  return [
    '--disable-warning=ExperimentalWarning',
    ...(process.allowedNodeEnvironmentFlags.has(transform) ? [transform] : []),
  ];
}

/** `run.cwd: skill`, or else the workspace if there is one. */
function workingDirectory(run: Run, writesWorkspace: boolean, otherwise: string): string {
  if (run.runtime === 'process' && run.cwd === 'skill') return skillFolder;
  return writesWorkspace ? '/workspace' : otherwise;
}

/** The parts of a command that do not depend on the root that it runs in. */
interface CommandParts {
  entry: Entry;
  own: SkillMounts;
  programs: ReadonlyMap<string, HostProgram>;
  files: CallFiles | undefined;
}

/** The command of a call with the rights of a user: its skill and its own files, in the root of the host. */
function hostCommand(
  grant: Grant,
  args: readonly string[],
  { process, env: ofUser, home, mounts, links, hidden }: HostAccess,
  { entry, own, programs, files }: CommandParts,
): SkillCommand {
  const { skill, capabilities } = grant;
  const [file = entry.file, ...rest] = commandOf(grant, entry, programs, { host: true });
  const writesWorkspace = capabilities.filesystem.write.includes('workspace');
  const env: Record<string, string> = { ...ofUser };
  if (skill.module !== undefined) env['PYTHONPATH'] = skillFolder;
  return {
    interpreter: entry.interpreter,
    argv: [file, ...rest, ...args],
    env: { ...env, ...files?.command.env },
    cwd: workingDirectory(skill.run, writesWorkspace, home),
    mounts: [...mounts, ...own.mounts],
    links: { ...links, ...own.links },
    folders: own.folders,
    hidden,
    workspace: writesWorkspace ? '/workspace' : undefined,
    stateFile: files?.command.stateFile,
    contents: files?.command.contents,
    host: process,
  };
}

/** The search path of a module that starts others: the skill's folder, and packages that are on the path already. */
function withModules(path: string | undefined): string {
  return path === undefined ? skillFolder : `${skillFolder}:${path}`;
}

/** A host script may need files beside it, and would fail with an obscure error without them. */
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
      capability: 'filesystem.read',
      requested: unknownFolder,
      reason,
      remedy:
        skill.requestedBy === 'operator' ? line : `write ${request}, and add to ambit.config.yaml: ${line}`,
    },
  ]);
}

/** Programs can share dependencies. */
function deduplicated(mounts: readonly Mount[]): Mount[] {
  return [...new Map(mounts.map((mount) => [mount.target, mount])).values()];
}

/** Whether every host user may list and enter a folder. */
function isWorldReadable(folder: string): boolean {
  const { mode } = statSync(folder);
  return (mode & 0o005) === 0o005;
}

/**
 * The path of the interpreter. The skill requests it, so policy granted it unless the caller or key
 * left it out.
 */
function interpreterPath(
  { skill, calledExec }: Grant,
  program: string,
  programs: ReadonlyMap<string, HostProgram>,
  exists: (path: string) => boolean = () => true,
): string {
  const found = programs.get(program);
  // Outside a root of its own, a program has only the paths that it has on the host.
  if (found !== undefined) return exists(found.path) ? found.path : found.file;
  const isByCall =
    calledExec !== undefined && !calledExec.flatMap((name) => programsNamed(name).programs).includes(program);
  const reason = isByCall
    ? 'is excluded by "capabilities" of the call'
    : 'is excluded by the ceiling of the key';
  const remedy = isByCall
    ? `add ${program} to exec there, or leave exec out`
    : `use a key whose ceiling has exec: [${program}]`;
  throw capabilityDenied(skill.id, [{ capability: 'exec', requested: program, reason, remedy }]);
}

/**
 * Granted programs by name. Members of a set that are missing, or that are only there if they are named, are left out, and
 * so is `lacking`; any other program granted by name must exist.
 */
function grantedPrograms(
  grant: Grant,
  lacking: string | undefined,
  isNamed: (tool: string) => boolean,
): ReadonlyMap<string, HostProgram> {
  const { skill, capabilities } = grant;
  const leftOut = leftOutOf(grant);
  const required = capabilities.exec.map(programsNamed).flatMap((set) => (set.optional ? [] : set.programs));
  const missing = required.filter((program) => program !== lacking && findHostProgram(program) === undefined);
  if (missing.length > 0) throw programsMissing(skill.id, missing);
  const found = capabilities.exec.flatMap((name) => {
    const { programs, optional } = programsNamed(name);
    return programs.flatMap((program): [string, HostProgram][] => {
      if (program === lacking) return [];
      if (optional && onlyIfNamed.has(program) && !isNamed(program)) return [];
      const host = optional ? findHostProgram(program) : hostProgram(program, skill.id, leftOut);
      return host === undefined ? [] : [[program, host]];
    });
  });
  return new Map(found);
}

function leftOutOf({ programsDenied, hostDenied }: Grant): LeftOut {
  return { programs: programsDenied, paths: hostDenied };
}
