import { realpath } from 'node:fs/promises';
import { SkillError } from '@ambit/core';
import { pathsOverlap, safeText, thrownText } from '@ambit/core/internal';
import {
  type HostProgram,
  hostProgram,
  redactShapes,
  runInSandbox,
  type Sandbox,
  type SandboxedRun,
  skillMounts,
} from '@ambit/runtime';

/** A program of the operator that reads a skill and prints SARIF. */
export interface Scanner {
  name: string;
  /** A program of this machine by its name, or by its path within `paths`; and its arguments. */
  command: readonly [string, ...string[]];
  /** Files and folders of this machine that it reads. Absolute. */
  paths: readonly string[];
  /** Further programs that it starts, by name. */
  programs: readonly string[];
  timeoutSeconds: number;
}

/** What running a scanner needs. */
export interface ScanOptions {
  sandbox: Sandbox;
  /** Never readable inside. */
  dataDir: string;
  signal: AbortSignal;
}

/** What a scanner printed; or why it is unknown, as the predicate of a sentence, and what to do about it. */
export type Scan = { log: unknown } | { problem: string; remedy: string };

const mebibyte = 1024 * 1024;
const limits = { memoryBytes: 2048 * mebibyte, processes: 128, fileBytes: 256 * mebibyte };
const outputBytes = 4 * mebibyte;

/**
 * Runs a scanner on the folder of a skill, in the sandbox: the folder is at `/skill` and read-only, there is no
 * network, and of the host it sees its programs and paths. A scanner that fails is a value. Rejects if `signal` aborts.
 */
export async function runScanner(
  scanner: Scanner,
  skill: { id: string; root: string },
  { sandbox, dataDir, signal }: ScanOptions,
): Promise<Scan> {
  const { name, command: given, programs: named, timeoutSeconds } = scanner;
  try {
    const [program, ...args] = given;
    const needed = [...(program.startsWith('/') ? [] : [program]), ...named];
    const programs = needed.map((each) => hostProgram(each, `The scanner ${name}`));
    const paths = await pathMounts(scanner, dataDir);
    if ('problem' in paths) return paths;
    const own = await skillMounts(skill);
    const command = {
      argv: [programs[0] !== undefined && needed[0] === program ? programs[0].path : program, ...args] as [
        string,
        ...string[],
      ],
      env: { PATH: '/usr/bin', HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8' },
      // Not the skill's folder: interpreters and tools load modules and settings from where they start.
      cwd: '/tmp',
      mounts: [...distinct(programs), ...paths.mounts, ...own.mounts],
      links: Object.assign({ '/bin': 'usr/bin' }, ...programs.map(({ links }) => links), own.links),
      folders: own.folders,
      ownsFiles: true,
    };
    const timeoutMs = timeoutSeconds * 1000;
    const run = await runInSandbox(
      sandbox,
      { command, limits: { ...limits, cpuMs: timeoutMs } },
      { stdin: new Uint8Array(), timeoutMs, outputBytes },
      signal,
    );
    signal.throwIfAborted();
    return scanOf(run, scanner);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SkillError)) throw error;
    return { problem: `cannot run (${safeText(thrownText(error), 400)})`, remedy: 'Correct that.' };
  }
}

async function pathMounts(
  { paths }: Scanner,
  dataDir: string,
): Promise<{ mounts: { source: string; target: string }[] } | { problem: string; remedy: string }> {
  const mounts = [];
  const own = await realpath(dataDir).catch(() => dataDir);
  for (const target of paths) {
    const source = await realpath(target).catch(() => undefined);
    const shown = safeText(target, 200);
    if (source === undefined)
      return {
        problem: `cannot run (${shown} does not exist)`,
        remedy: 'Correct installs.scanners.paths in ambit.config.yaml.',
      };
    if (pathsOverlap(source, own))
      return {
        problem: `cannot run (${shown} is, or contains, the data directory, which is never opened to a scanner)`,
        remedy: 'Name narrower installs.scanners.paths in ambit.config.yaml.',
      };
    mounts.push({ source, target });
  }
  return { mounts };
}

/** Programs can share what they need. */
function distinct(programs: readonly HostProgram[]): HostProgram['mounts'] {
  return [...new Map(programs.flatMap(({ mounts }) => mounts).map((each) => [each.target, each])).values()];
}

function scanOf(
  { end, stdout, stderr }: SandboxedRun,
  { command: [program], timeoutSeconds }: Scanner,
): Scan {
  if (end.status === 'timed-out' || end.status === 'out-of-cpu')
    return {
      problem: `did not finish within ${timeoutSeconds} seconds`,
      remedy: 'Increase installs.scanners.timeoutSeconds in ambit.config.yaml.',
    };
  if (end.status === 'output-too-large')
    return {
      problem: `printed more than ${outputBytes / mebibyte} MiB`,
      remedy: 'Make it print less, such as findings without the descriptions of all rules.',
    };
  if (end.status !== 'exited')
    return { problem: `did not finish (${end.status})`, remedy: 'Make it use less memory.' };
  const text = Buffer.from(stdout).toString();
  try {
    // Many scanners exit with 1 when they find something.
    return { log: JSON.parse(text) as unknown };
  } catch {
    const said = safeText(redactShapes(Buffer.from(stderr).toString().trim().split('\n').at(-1) ?? ''), 300);
    const printed = text.trim() === '' ? 'printed nothing' : 'printed no JSON';
    return {
      problem: `${printed} and exited with ${end.exitCode}${said === '' ? '' : ` (${said})`}`,
      remedy: `Make ${safeText(program)} print SARIF 2.1.0 to stdout; it has no network, and reads only the skill, its paths and its programs.`,
    };
  }
}
