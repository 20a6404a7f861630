import { isStandardModule, packageOfModule } from '../../inspect/script/python-packages.ts';
import { isUnapprovedPython } from '../../skill/tool-skill.ts';
import { type HintedGrant, trustRemedy } from './hint-context.ts';

/** A pattern in the output of failed Python in WebAssembly, and the hint for it. */
interface WasmCause {
  /** The first group that matches names what is missing. */
  pattern: RegExp;
  hint: (missing: string, grant: HintedGrant) => string;
}

/** The limits of Python in WebAssembly, by the errors that it raises or the words of scripts that handle them. */
export const wasmPythonCauses: readonly WasmCause[] = [
  { pattern: /No module named '?([\w.]+)/, hint: missingModule },
  {
    pattern: /the \(missing\) (\w+) module|^\S*CompressionError: (\w+) module is not available/m,
    hint: missingModule,
  },
  {
    pattern:
      /wasi does not support processes|module 'os' has no attribute '((?:fork|exec|spawn|posix_spawn|system|wait|popen)\w*)'|NameError: name '(execve?)' is not defined/,
    hint: (name, grant) => lacks(name === '' ? 'starts another program' : `uses os.${name}`, grant),
  },
  { pattern: /can't start new thread/, hint: (_, grant) => lacks('starts a thread', grant) },
  {
    pattern: /module 'signal' has no attribute '(\w+)'/,
    hint: (name, grant) => lacks(`uses signal.${name}`, grant),
  },
  { pattern: /module 'os' has no attribute '(\w+)'/, hint: (name, grant) => lacks(`uses os.${name}`, grant) },
  {
    pattern:
      /^socket\.gaierror: |module '_?socket' has no attribute '\w+'|'http\.client' has no attribute 'HTTPSConnection'|^OSError: \[Errno \d+\] (?:Not|Operation not) supported$/m,
    // Without an approval there is no network either.
    hint: (_, grant) =>
      isUnapprovedPython(grant.skill)
        ? lacks('opens a socket', grant)
        : lacks('opens a socket', grant, ' HTTP requests of urllib.request need none.'),
  },
  {
    pattern:
      /\b(?:pip3?|uv)(?: pip)? (?:install|add)(?: --?[\w-]{1,40}){0,5} ["'`]?([A-Za-z][\w.-]{0,80})|\b(?:requires|install)(?: the)? ["'`]?([A-Za-z][\w.-]{0,80})["'`]? (?:package|library|module)\b/i,
    hint: (name, grant) => lacksPackage(name, grant),
  },
];

function missingModule(name: string, grant: HintedGrant): string {
  const [module = name] = name.replace(/^_/, '').split('.');
  if (module === 'multiprocessing') return lacks('starts another process', grant);
  if (isStandardModule(module)) return withProgram(` needs the module ${module}, ${missing}`, grant);
  return lacksPackage(packageOfModule(module), grant);
}

function lacksPackage(name: string, grant: HintedGrant): string {
  return withProgram(`'s output says that it needs the Python package "${name}", ${missing}`, grant);
}

function lacks(what: string, grant: HintedGrant, instead = ''): string {
  return withProgram(` ${what}, which is not possible in WebAssembly`, grant, instead);
}

function withProgram(what: string, grant: HintedGrant, instead = ''): string {
  return `The skill${what}.${instead} To run it as a program, ${howToRun(grant)}`;
}

const missing = 'which Python in WebAssembly does not have';

/** Returns the steps that run the skill as a program. */
function howToRun(grant: HintedGrant): string {
  const { skill } = grant;
  if (isUnapprovedPython(skill)) return trustRemedy(grant);
  const sidecar =
    "write run.runtime: process in the skill's ambit.yaml, with python3 in run.capabilities.exec";
  return skill.tier === 'untrusted' ? `${sidecar}; then ${trustRemedy(grant)}` : sidecar;
}
