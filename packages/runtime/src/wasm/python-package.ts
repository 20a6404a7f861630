import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SkillError } from '@ambit/core';
import type { Grant } from '@ambit/core/execute';
import { thrownText } from '@ambit/core/outcome';
import { z } from 'zod';
import { requiredVersion, requireVersion } from '../skills/required-version.ts';
import { pythonDigests } from './host/python/digests.mjs';

/** The installed package `@ambit/python`: a Python interpreter in WebAssembly. */
export interface PythonPackage {
  /** Its folder on this machine. */
  folder: string;
  /** The version of CPython: `3.11.2`. */
  version: string;
  /** `sha256:…` of the interpreter's file. */
  digest: string;
  license: string;
  /** The source that it was built from. */
  source: string;
  /** The reason why this version of Ambit does not use it; `undefined`: it does. Continues a sentence after its name. */
  problem: string | undefined;
}

const PythonManifest = z.object({
  version: z.string(),
  license: z.string(),
  python: z.object({ version: z.string(), license: z.string(), source: z.string() }),
});

/**
 * The installed package; `undefined` if there is none. Reads the interpreter's files, which takes some
 * 20 ms, and compares them with the digests that this version of Ambit was tested with. A package that
 * cannot be read has a `problem`, and nothing else but its folder.
 *
 * @param path of its `package.json`
 */
export function pythonPackage(path: string | undefined = manifestPath()): PythonPackage | undefined {
  if (path === undefined) return undefined;
  const folder = dirname(path);
  try {
    return readPackage(path, folder);
  } catch (error) {
    // It is incomplete, or this user may not read it. Other WebAssembly does not need it.
    const problem = `in ${folder} cannot be read: ${thrownText(error)}`;
    return { folder, version: '', digest: '', license: '', source: '', problem };
  }
}

/** The folder of the installed package, which reads no file; `undefined` if there is none. */
export function pythonFolder(): string | undefined {
  const path = manifestPath();
  return path === undefined ? undefined : dirname(path);
}

function readPackage(path: string, folder: string): PythonPackage {
  const manifest = PythonManifest.parse(JSON.parse(readFileSync(path, 'utf8')));
  const { version, license, source } = manifest.python;
  const digests = Object.keys(pythonDigests).map((name) => [name, sha256(join(folder, name))] as const);
  const differing = digests.find(([name, digest]) => digest !== pythonDigests[name]);
  const problem =
    differing &&
    `${manifest.version} in ${folder} is not the one that this version of Ambit was tested with: ${differing[0]} differs`;
  return { folder, version, digest: `sha256:${digests[0]?.[1] ?? ''}`, license, source, problem };
}

/** Refuses a call of Python without its interpreter, or that declares another version. Throws `PROGRAM_MISSING`. */
export function requirePython({ skill }: Grant, python: PythonPackage | undefined): void {
  if (python !== undefined && python.problem === undefined) {
    const required = requiredVersion(skill, 'python3');
    if (required !== undefined)
      requireVersion(skill, required, {
        version: python.version,
        place: 'WebAssembly',
        remedy: `The Python of this machine can only run it as a program; a person decides about that: ambit skills review ${skill.id}`,
      });
    return;
  }
  const why =
    python === undefined
      ? 'the package @ambit/python, which is not installed'
      : `a different @ambit/python: the installed one ${python.problem}`;
  throw new SkillError(
    'PROGRAM_MISSING',
    `${skill.id} is Python in WebAssembly and needs ${why}. Install the package of Ambit's own version beside it (docs/python.md#installing), and restart the daemon, if one runs.`,
  );
}

/** Not a dependency: the package is found if it is installed beside this one. */
const optionalPackage = '@ambit/python/package.json';

function manifestPath(): string | undefined {
  try {
    return realpathSync(fileURLToPath(import.meta.resolve(optionalPackage)));
  } catch {
    return undefined;
  }
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
