import { findHostProgram, howToInstall, type PythonPackage } from '@ambit/runtime';

/** The path of the program that skills run under that name, or how to install it. */
export function programText(name: string): string {
  return findHostProgram(name)?.file ?? `not installed. ${howToInstall(name)}`;
}

/** The interpreter of Python in WebAssembly, in words. `fix`: what to do, because it cannot be used. */
export function wasmPython(python: PythonPackage | undefined): { text: string; fix?: string } {
  if (python === undefined) return { text: `not installed: ${install}`, fix: install };
  if (python.problem !== undefined) return { text: `not used: ${python.problem}; ${install}`, fix: install };
  const { version, digest, license, source } = python;
  return { text: `Python ${version}, ${digest}, license ${license}, built from ${source}` };
}

const install = "install the @ambit/python of Ambit's own version beside it; see docs/python.md#installing";
