import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { ToolSkill } from '@ambit/core/execute';
import { meetsVersion } from '@ambit/core/skill';
import { requiredVersion, requireVersion } from '../../skills/required-version.ts';
import { runInSandbox } from '../sandbox/run-in-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { findHostProgram, type HostProgram, nodeReservedBytes } from './host-program.ts';

/** Refuses a skill whose interpreter on this machine is not the version that its entry declares. Throws `PROGRAM_MISSING`. */
export type CheckVersion = (skill: ToolSkill, interpreter: string | undefined) => Promise<void>;

const memoryBytes = 256 * 1024 * 1024;

/**
 * Checks declared versions. A program that has to print its version does so in a sandbox, once for each of its files. A
 * version that stays unknown refuses nothing.
 */
export function versionChecks(sandbox: Sandbox): CheckVersion {
  const versions = new Map<string, Promise<string | undefined>>();
  return async (skill, interpreter = '') => {
    const name = /^python3?$/.test(interpreter) ? 'python3' : interpreter === 'node' ? 'node' : undefined;
    const required = name === undefined ? undefined : requiredVersion(skill, name);
    const program = required === undefined ? undefined : findHostProgram(interpreter);
    if (required === undefined || program === undefined) return;
    // The name of a Python has its version without the patch, which most ranges leave open.
    const minor = /^python(3\.\d+)$/.exec(basename(program.file))?.[1];
    const isMet = (patch: number): boolean => meetsVersion(required, `${minor}.${patch}`) === true;
    if (minor !== undefined && isMet(0) && isMet(999)) return;
    const { ino, mtimeMs } = statSync(program.file);
    const key = `${program.file} ${ino} ${mtimeMs}`;
    const version = await (versions.get(key) ?? versions.set(key, versionOf(sandbox, program)).get(key));
    if (version === undefined) versions.delete(key);
    else
      requireVersion(skill, required, {
        version,
        place: 'this machine',
        remedy: `Install a version in that range, and link it as ${interpreter} into /usr/local/bin`,
      });
  };
}

async function versionOf(
  sandbox: Sandbox,
  { path, mounts, links }: HostProgram,
): Promise<string | undefined> {
  const run = await runInSandbox(
    sandbox,
    {
      command: { argv: [path, '--version'], env: { PATH: '/usr/bin' }, cwd: '/', mounts, links },
      limits: {
        memoryBytes,
        dataBytes: memoryBytes + nodeReservedBytes,
        cpuMs: 5000,
        processes: 32,
        fileBytes: 0,
      },
    },
    { stdin: new Uint8Array(), timeoutMs: 10_000, outputBytes: 4096 },
    AbortSignal.timeout(10_000),
  ).catch(() => undefined);
  return /^(?:Python )?v?(\d+\.\d+\.\d+)/.exec(Buffer.from(run?.stdout ?? []).toString())?.[1];
}
