import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { findHostProgram, searchPath } from '@ambit/runtime';
import type { DoctorCheck } from '../../cli/actions/doctor-report.ts';

/** Which Python runs skills. `path` is the `PATH` of the shell, which may find another one. */
export function pythonCheck(path: string): DoctorCheck {
  const inside = findHostProgram('python3')?.file;
  const ofShell = firstPython(path);
  if (ofShell === undefined || searchPath.split(':').some((folder) => ofShell === join(folder, 'python3'))) {
    return {
      name: 'python',
      status: inside === undefined ? 'limited' : 'ok',
      found: inside ?? 'none',
      meaning:
        'runs skills in Python, with the modules that are installed for it, but for those of pip --user',
      fix: inside === undefined ? 'apt-get install python3, if a skill needs it' : undefined,
    };
  }
  return {
    name: 'python',
    status: 'limited',
    found: `${inside ?? 'none'}; this shell has ${ofShell}`,
    meaning:
      'the first runs skills in Python; what pyenv, a virtual environment or pip --user has installed is not inside',
    fix: 'To run skills with another Python, link its program (sys.executable): ln -s PYTHON /usr/local/bin/python3; docs/skills.md#another-python has the rest',
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
