import { availableParallelism } from 'node:os';
import { findHostProgram } from '@ambit/runtime';
import type { DoctorCheck } from './doctor-report.ts';

/** The host programs that published skills request most often. */
const commonPrograms = ['sh', 'bash', 'python3', 'git', 'node'];

/** The Node that Ambit runs on. */
export function nodeCheck(): DoctorCheck {
  return {
    name: 'node',
    status: 'ok',
    found: `${process.version} on ${process.platform} ${process.arch}, ${availableParallelism()} cores`,
    meaning: 'Ambit runs on this Node',
  };
}

/** Checks which common programs skills can request on this machine. */
export function programsCheck(): DoctorCheck {
  const installed = commonPrograms.filter((name) => findHostProgram(name) !== undefined);
  const missing = commonPrograms.filter((name) => !installed.includes(name));
  return {
    name: 'programs',
    status: missing.length === 0 ? 'ok' : 'limited',
    found: installed.length === 0 ? 'none of the common ones' : installed.join(', '),
    meaning: 'skills can request these in run.capabilities.exec',
    fix: missing.length === 0 ? undefined : `If a skill needs them, install ${missing.join(', ')}`,
  };
}
