import type { PythonPackage } from '@ambit/runtime';
import type { DoctorCheck } from '../cli/ports/doctor-report.ts';

/** Python in WebAssembly on this machine. Information: only skills in Python without approval need it. */
export function wasmPythonCheck(python: PythonPackage | undefined): DoctorCheck {
  const { text, fix } = wasmPython(python);
  return {
    name: 'python in wasm',
    status: python?.problem === undefined ? 'ok' : 'limited',
    found: python === undefined ? 'not installed' : text,
    meaning:
      fix === undefined
        ? 'Python of untrusted skills, and Python with run.runtime: wasm, runs in WebAssembly'
        : `calls of Python in WebAssembly are refused with PROGRAM_MISSING; to run it, ${fix}`,
  };
}

/** The interpreter in words, and what to do if it cannot be used. */
export function wasmPython(python: PythonPackage | undefined): { text: string; fix?: string } {
  if (python === undefined) return { text: `not installed: ${install}`, fix: install };
  if (python.problem !== undefined) return { text: `not used: ${python.problem}; ${install}`, fix: install };
  const { version, digest, license, source } = python;
  return { text: `Python ${version}, ${digest}, license ${license}, built from ${source}` };
}

const install = "install the @ambit/python of Ambit's own version beside it; see docs/python.md#installing";
