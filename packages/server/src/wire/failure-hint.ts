import type { Failure } from '@ambit/core';

/**
 * What to do about a run that failed, by what it wrote: a module, a program or the network that the skill needs and does
 * not have in its sandbox. One sentence or two; `undefined` when nothing is recognized.
 */
export function failureHint(failure: Failure, stderr: string): string | undefined {
  const text = 'trap' in failure ? `${stderr}\n${failure.trap}` : stderr;
  const end = text.slice(-readCharacters);
  for (const { pattern, hint } of causes) {
    const found = pattern.exec(end);
    if (found !== null) return hint((found[1] ?? found[2] ?? '').slice(0, nameCharactersMax));
  }
  return undefined;
}

/** An interpreter says at the end why it stopped. */
const readCharacters = 8192;

const nameCharactersMax = 100;

interface Cause {
  /** Its first group that matched is what is missing. */
  pattern: RegExp;
  hint: (missing: string) => string;
}

const causes: readonly Cause[] = [
  {
    pattern: /^(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)/m,
    hint: (name) =>
      missingModule('Python', name, 'install it for the Python of this system, not in a virtual environment'),
  },
  {
    pattern: /Cannot find (?:module|package) '(\.{0,2}\/[^'\n]+)'/,
    hint: (path) =>
      `The skill imports ${path}, which does not exist. Add that file to the skill's folder, or correct the path.`,
  },
  {
    pattern: /Cannot find (?:module|package) '([^'\n]+)'/,
    hint: (name) => missingModule('Node.js', name, 'run npm install in its folder'),
  },
  {
    pattern: /Can't locate (\S+)\.pm in @INC/,
    hint: (path) =>
      missingModule('Perl', path.replaceAll('/', '::'), 'install it for the Perl of this system'),
  },
  {
    pattern: /cannot load such file -- ([^\s()]+)/,
    hint: (name) => missingModule('Ruby', name, 'install it for the Ruby of this system'),
  },
  {
    pattern: /error while loading shared libraries: ([^\s:]+):/,
    hint: (name) =>
      `A program needs the library ${name}, which is missing in its sandbox. If the library lies in the program's own folder, grant that folder under filesystem.read.`,
  },
  { pattern: /: (?:line )?\d+: ([^\s:]+): (?:command )?not found$/m, hint: missingProgram },
  { pattern: /\bspawn(?:Sync)? ([^\s']+) ENOENT\b/, hint: missingProgram },
  {
    pattern: /_execute_child[\s\S]*^FileNotFoundError: \[Errno 2\] No such file or directory: '([^'\n/]+)'/m,
    hint: missingProgram,
  },
  {
    pattern: /^(?:\/usr\/bin\/)?env: [‘']?([^\s’':]+)[’']?: No such file or directory$/m,
    hint: missingProgram,
  },
  {
    pattern: /ReferenceError: '?(fetch|XMLHttpRequest)'? is not defined/,
    hint: (name) => `Scripts have no global ${name}. Write: import { fetch } from 'ambit'. ${askForNetwork}`,
  },
  {
    pattern: /ReferenceError: '?(require|process|Buffer|setTimeout|setInterval)'? is not defined/,
    hint: (name) =>
      `Scripts of runtime wasm have no ${name}: they run in QuickJS, without Node.js. Write the skill without it, or as a program: run.runtime: process.`,
  },
  {
    pattern:
      /TypeError: fetch failed|Temporary failure in name resolution|Name or service not known|Could not resolve host|Network is unreachable|getaddrinfo E\w+|nodename nor servname/,
    hint: () => `The skill tried to reach the network, which it was not granted. ${askForNetwork}`,
  },
];

const askForNetwork =
  'Request the host under run.capabilities.network in its ambit.yaml; the operator grants it under grants in the configuration.';

function missingModule(language: string, name: string, install: string): string {
  return `The skill needs the ${language} module ${name}, which is missing in its sandbox. Put it into the skill's folder, or ${install}.`;
}

function missingProgram(name: string): string {
  return `The skill starts ${name}, which is missing in its sandbox. If this machine has ${name}, add it to run.capabilities.exec in the skill's ambit.yaml; if not, install it first.`;
}
