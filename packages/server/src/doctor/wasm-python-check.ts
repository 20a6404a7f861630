import type { PythonPackage } from '@ambit/runtime';
import { wasmPython } from '../wire/program-text.ts';
import type { DoctorCheck } from './doctor-report.ts';

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
