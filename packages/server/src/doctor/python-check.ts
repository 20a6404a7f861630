import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { findHostProgram, searchPath } from '@ambit/runtime';
import type { DoctorCheck } from './doctor-report.ts';

/** Checks which Python runs skills. `path` is the `PATH` of the shell, which may find another one. */
export function pythonCheck(path: string): DoctorCheck {
  const inside = findHostProgram('python3')?.file;
  const ofShell = firstPython(path);
  if (ofShell === undefined || searchPath.split(':').some((folder) => ofShell === join(folder, 'python3'))) {
    return {
      name: 'python',
      status: inside === undefined ? 'limited' : 'ok',
      found: inside ?? 'none',
      meaning: 'runs skills in Python, with its installed modules, but not modules from pip --user',
      fix: inside === undefined ? 'If a skill needs it, run: apt-get install python3' : undefined,
    };
  }
  return {
    name: 'python',
    status: 'limited',
    found: `${inside ?? 'none'}; this shell has ${ofShell}`,
    meaning:
      inside === undefined
        ? "skills in Python do not run, because they cannot use this shell's Python"
        : `skills in Python run with ${inside}, not with this shell's Python or its modules (pyenv, virtual environments, pip --user)`,
    fix: 'Link the program of the other Python (its sys.executable): ln -s PYTHON /usr/local/bin/python3. See docs/skills.md#another-python',
  };
}

function firstPython(path: string): string | undefined {
  return path
    .split(':')
    .map((folder) => join(folder, 'python3'))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
