import { Capabilities, type CapabilityKind } from '../../capability/capabilities.ts';
import { grantLine } from '../../capability/denial.ts';
import { liesWithin } from '../../capability/filesystem.ts';
import { items } from '../../capability/items.ts';
import { endpointOf, hostMatches } from '../../egress/network-rule.ts';
import type { Grant } from '../../grant/grant.ts';
import { isStandardModule, packageOfModule, wasmModule } from '../../inspect/script/python-packages.ts';
import { packageIn } from '../../inspect/script/script-facts.ts';
import type { Failure } from '../../outcome/outcome.ts';
import { moduleAt } from '../../skill/python-module.ts';
import { isPython } from '../../skill/run.ts';
import { isUnapprovedPython } from '../../skill/tool-skill.ts';
import { fullFolder, fullFolderHint } from './full-folder-hint.ts';
import { type HintContext, type HintedGrant, trustRemedy } from './hint-context.ts';
import { wasmPythonCauses } from './wasm-python-hint.ts';

/**
 * Returns the remedy for a failed run, derived from its output: a module, program, path or host that its
 * sandbox lacks. One or two sentences with the line that grants it; `undefined` if nothing is
 * recognized. A skill can write anything, so the hint is advice for people and is not recorded. It
 * quotes what the skill chose, and never puts it into a command to run. It never depends on whether
 * a path exists on this machine, except for installed software: a skill could print guessed paths
 * to learn that.
 */
export function failureHint(
  granted: Grant,
  failure: Failure,
  stderr: string,
  context: HintContext = {},
): string | undefined {
  // Such a program has everything of its user, and no grant adds to that.
  if (granted.capabilities.host === true) return undefined;
  const grant: HintedGrant = { ...granted, context };
  const text = 'trap' in failure ? `${stderr}\n${failure.trap}` : stderr;
  const end = text.slice(-readCharacters);
  for (const { pattern, hint } of isPython(grant.skill.run) ? pythonCauses : causes) {
    const found = pattern.exec(end);
    const missing = found?.slice(1).find((group) => group !== undefined) ?? '';
    const advice =
      found === null || hostile.test(missing) ? undefined : hint(missing.slice(0, nameCharactersMax), grant);
    if (advice !== undefined) return advice;
  }
  return undefined;
}

/**
 * The capability whose lack the output of a failed run reports, named as in a grant; `undefined` if it
 * names none. Like the hint, it may be false.
 */
export function reportedLack(stderr: string): { kind: CapabilityKind; item: string } | undefined {
  const end = stderr.slice(-readCharacters);
  for (const { pattern, lacks, item: itemOf = (missing: string) => missing } of causes) {
    const found = lacks === undefined ? null : pattern.exec(end);
    const missing = found?.slice(1).find((group) => group !== undefined);
    if (lacks === undefined || missing === undefined || missing.length > nameCharactersMax) continue;
    const item = itemOf(missing);
    if (lacks === 'exec') return { kind: lacks, item: programName(item) };
    if (lacks === 'network') return { kind: lacks, item: item.replace(' port ', ':') };
    // Whether the host has installed software is checked where an item is proposed.
    if (!lacks.startsWith('filesystem.') || !isOwnPath(item) || liesWithin(item, '/usr/share'))
      return { kind: lacks, item };
  }
  return undefined;
}

/** The programs that a log reports as not found, whatever the run did then; bounded. */
export function programsThatFailedToStart(log: string): string[] {
  const end = log.slice(-readCharacters);
  const found = causes.flatMap(({ pattern, lacks }) =>
    lacks === 'exec' ? [...end.matchAll(new RegExp(pattern, `${pattern.flags}g`))] : [],
  );
  const names = found.flatMap((match) => match.slice(1).find((group) => group !== undefined) ?? []);
  return [...new Set(names.map(programName))].slice(0, namesMax);
}

/** Interpreters report the cause at the end. */
const readCharacters = 8192;

const nameCharactersMax = 300;

const namesMax = 64;

/** Text with a meaning to a shell, a terminal or a reader, such as a command of Ambit. Names with it get no hint. */
const hostile = /[\p{C}\p{Zl}\p{Zp}`$\\;|&<>"]|\bambit\s/iu;

interface Cause {
  /** The first group that matches names what is missing. */
  pattern: RegExp;
  /** `undefined` if this turns out not to be the cause. */
  hint: (missing: string, grant: HintedGrant) => string | undefined;
  /** The kind of capability that the run may have lacked; absent: none, or unknown. */
  lacks?: CapabilityKind;
  /** Returns the item that a grant has to name for it. Absent: what is missing. */
  item?: (missing: string) => string;
}

const ownPackage: Cause = {
  pattern:
    /^ImportError: attempted relative import with no known parent package|^ModuleNotFoundError: No module named '([\w-]+)/m,
  hint: partOfPackage,
};

/** The messages of programs that resolve names themselves. The first group that matches is the host. */
const unresolved =
  /Could not resolve host: ([\w.-]+)|getaddrinfo E\w+ ([\w.-]+)|resolve host address [‘']([\w.-]+)|connect E\w+ (\d[\d.]+:\d+)|Failed to connect to (\d[\d.]+ port \d+)|HTTPS?ConnectionPool\(host='([\w.-]+)'|Cannot connect to host ([\w.-]+):\d+|UnknownHostException: ([\w.-]+)|Failed to resolve '([\w.-]+)'|dial tcp: lookup ([\w.-]+)/;

const causes: readonly Cause[] = [
  ownPackage,
  {
    // Shells, env and the kernel take the carriage return for a part of a word.
    pattern:
      /\$'[^'\n]{0,100}\\r'|[\w/.-]\\?\r['’]: No such file|\^M: (?:bad interpreter|not found)|: \r?[^\n:]{0,100}\r: not found|Illegal option -\r/,
    hint: windowsLineEnds,
  },
  {
    pattern: /^fatal: not a git repository: ([^\n]+)$/m,
    hint: separateRepository,
    lacks: 'filesystem.read',
    item: repositoryOf,
  },
  {
    pattern: /^(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)/m,
    hint: missingPythonPackage,
  },
  {
    pattern: /Cannot find (?:module|package) '(\.{0,2}\/[^'\n]+)'/,
    hint: (path) =>
      `The skill's output says that it imports "${path}", which does not exist. Add that file to the skill's folder, or correct the path.`,
  },
  {
    pattern: /Cannot find (?:module|package) '([^'\n]+)'/,
    hint: missingNodePackage,
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
      `The skill's output says that a program needs the library "${name}", which is not in its sandbox. If the library is in the program's own folder, grant that folder under filesystem.read.`,
  },
  { pattern: /: (?:line )?\d+: ([^\s:]+): (?:command )?not found$/m, hint: missingProgram, lacks: 'exec' },
  { pattern: /\bspawn(?:Sync)? ([^\s']+) ENOENT\b/, hint: missingProgram, lacks: 'exec' },
  {
    pattern:
      /_execute_child[\s\S]*^FileNotFoundError: \[Errno 2\] No such file or directory: '((?:\/(?:usr\/)?bin\/)?[^'\n/]+)'/m,
    hint: missingProgram,
    lacks: 'exec',
  },
  {
    pattern: /^(?:\/usr\/bin\/)?env: [‘']?([^\s’':]+)[’']?: No such file or directory$/m,
    hint: missingProgram,
    lacks: 'exec',
  },
  {
    // `os.environ['NAME']` raises in the frame of the os module.
    pattern:
      /File "(?:[^"\n]*\/os\.py|<frozen os>)", line \d+, in __getitem__(?:\n(?! *File ).*)*?\nKeyError: '([A-Za-z_]\w*)'$/m,
    hint: missingVariable,
    lacks: 'env',
  },
  {
    pattern: /ReferenceError: '?(fetch|XMLHttpRequest)'? is not defined/,
    hint: (name, { context }) =>
      `Scripts have no global ${name}. ${importFetch} ${context.isForModel ? 'A person can grant the host.' : askForNetwork}`,
  },
  {
    pattern: /ReferenceError: '?(require|process|Buffer|setTimeout|setInterval)'? is not defined/,
    hint: (name) =>
      `WebAssembly scripts have no ${name}: they run in QuickJS, not in Node.js. Remove it, or run the skill as a program: run.runtime: process.`,
  },
  {
    pattern: unresolved,
    hint: (host, grant) => missingHost(host.replace(' port ', ':'), grant),
    lacks: 'network',
  },
  {
    pattern:
      /TypeError: fetch failed|socket\.gaierror|UnknownHostException|Temporary failure in name resolution|Name or service not known|Could not resolve host|Network is unreachable|getaddrinfo E\w+|nodename nor servname/,
    hint: (_, grant) => missingHost(undefined, grant),
  },
  {
    pattern:
      /Read-only file system: ?'(\/[^'\n]+)'|EROFS: read-only file system, \w+ '(\/[^'\n]+)'|(?:^|[\s'"‘])(\/[^\s:'"’]+)['"’]?: Read-only file system/m,
    hint: (path, grant) => writtenToSkill(path) ?? missingPath('write', path, grant),
    lacks: 'filesystem.write',
  },
  { pattern: fullFolder, hint: fullFolderHint },
  {
    pattern:
      /No such file or directory: '(\/[^'\n]+)'|no such file or directory, \w+ '(\/[^'\n]+)'|(?:^|[\s'"‘])(\/[^\s:'"’]+)['"’]?: [Nn]o such file|No such file or directory @ \w+ - (\/[^\n(]*[^\s(])|\((\/[^\s)]+)\): [Ff]ailed to open stream: No such file|(?:FileNotFoundException|NoSuchFileException): (\/[^\s]+)|[Cc](?:an't|annot|ould not) (?:open|find)(?: \w+)? ['"‘]?(\/[^\s:'"’]+)/m,
    hint: (path, grant) => missingPath('read', path, grant) ?? missingTemporary(path),
    lacks: 'filesystem.read',
  },
  {
    pattern:
      /can't open file '(?:\/workspace\/)?([^'\n/][^'\n]*)'|No such file or directory: '(?:\/workspace\/)?([^'\n/][^'\n]*)'|no such file or directory, \w+ '(?:\/workspace\/)?([^'\n/][^'\n]*)'|(?:^|[\s'"‘])(?:\/workspace\/)?([^\s:'"’/][^\s:'"’]*)['"’]?: No such file/m,
    hint: missingFile,
  },
];

/** The causes for Python in WebAssembly. */
const pythonCauses: readonly Cause[] = [ownPackage, ...wasmPythonCauses, ...causes];

// Not in a template: packing would take it for an import of this module.
const importFetch = "Write: import { fetch } from 'ambit'.";

const askForNetwork =
  'Request the host under run.capabilities.network in its ambit.yaml, and grant it under grants in ambit.config.yaml.';

/** A file that imports from its own package must run as a module of that package. */
function partOfPackage(name: string, { skill }: Grant): string | undefined {
  const module = moduleAt(skill.run.entry);
  const isOwn = name === '' || skill.files.some(({ path }) => path.startsWith(`${name}/`));
  if (module === undefined || skill.module !== undefined || !isOwn) return undefined;
  return `The script imports from its own package. Run it as a module, with the script "-m ${module}".`;
}

/** Modules of the standard library are missing where Python was installed without them. */
function missingPythonPackage(name: string, { skill }: Grant): string {
  const [module = name] = name.split('.');
  if (module === wasmModule)
    return 'The module ambit is only in WebAssembly. Run the skill there (run.runtime: wasm), or remove the import.';
  const where = 'install it for the Python of this system, not in a virtual environment';
  if (isStandardModule(module)) return missingModule('Python', name, where);
  const found = packageOfModule(module);
  const named = `Python package "${found}"${found === module ? '' : ` (module "${module}")`}`;
  if (skill.isInstalled) return notLocked(named);
  return `${saysThatItNeeds} the ${named}, which is not in its sandbox. Check that name. Then put the package into the skill's folder, or ${where}.`;
}

function missingNodePackage(specifier: string, { skill }: Grant): string {
  // Scripts in WebAssembly find no packages.
  if (!skill.isInstalled || skill.run.runtime !== 'process' || /^(?:node|bun):/.test(specifier))
    return missingModule('Node.js', specifier, 'run npm install in its folder');
  return notLocked(`npm package "${packageIn(specifier)}"`);
}

/** The words of the skill are no fact: an attacker can register a package with a name that looks right. */
const saysThatItNeeds = "The skill's output says that it needs";

/** For a skill whose folder belongs to Ambit. A model may read it, so it names no command that adds the package. */
function notLocked(named: string): string {
  return `${saysThatItNeeds} the ${named}, which is not locked for it. A person can check that name, and add the package to the skill's locked packages.`;
}

function missingModule(language: string, name: string, install: string): string {
  return `${saysThatItNeeds} the ${language} module "${name}", which is not in its sandbox. Put it into the skill's folder, or ${install}.`;
}

function missingProgram(path: string, grant: HintedGrant): string {
  const name = programName(path);
  if (grant.context.missingPrograms?.includes(name))
    return `The skill starts ${name}, which this machine has and its sandbox lacks. ${howToGet(grant, 'exec', name)}`;
  const what = `The skill's output says that it starts "${name}", which is not in its sandbox.`;
  if (!Capabilities.safeParse({ exec: [name] }).success) return what;
  return `${what} If this machine lacks it too, install it first. ${howToGet(grant, 'exec', name)}`;
}

function programName(path: string): string {
  return path.replace(/^\/(?:usr\/)?bin\//, '');
}

function missingHost(host: string | undefined, grant: HintedGrant): string {
  const { network } = grant.capabilities;
  const name = host?.replace(/:\d+$/, '');
  if (network.length > 0 && (name === undefined || network.some((rule) => isRuleFor(rule, name))))
    return `The skill tried to reach ${name === undefined ? 'a host' : `${name}, which is granted,`} without the proxy of its sandbox, and nothing else is reachable. ${useProxy}`;
  return `The skill tried to reach ${host ?? 'the network'}, which is not granted. ${howToGet(grant, 'network', host)}`;
}

function isRuleFor(rule: Grant['capabilities']['network'][number], host: string): boolean {
  return rule !== 'granted' && hostMatches(endpointOf(rule).host, host.toLowerCase());
}

/** The variables are set; some programs read them only on request, and some never. */
const useProxy =
  'If the host is granted, have the program use HTTP_PROXY and HTTPS_PROXY, which are set: trust_env=True for a session of aiohttp, a library such as requests or httpx instead of sockets, EnvHttpProxyAgent for undici.';

function windowsLineEnds(_: string, { skill }: HintedGrant): string {
  const what = `A script, such as ${skill.run.entry}, seems to have Windows line ends (CRLF): shells take the carriage return for a part of each line.`;
  return skill.isInstalled
    ? `${what} Its author has to convert it, for example with dos2unix.`
    : `${what} Convert it, for example with dos2unix. In a repository, "*.sh text eol=lf" in .gitattributes keeps it so.`;
}

/** A worktree or submodule has a file that leads to its repository elsewhere. */
function separateRepository(path: string, grant: HintedGrant): string | undefined {
  const what = 'The folder is a git worktree or a submodule, and its repository is in another folder';
  if (!path.startsWith('/'))
    return `${what}, ${quoted(path)} from there, which is not in the sandbox. A person can grant the folder that contains both.`;
  const repository = repositoryOf(path);
  const { read, write } = grant.capabilities.filesystem;
  if ([...read, ...write].some((root) => liesWithin(repository, root))) return undefined;
  if (!Capabilities.safeParse({ filesystem: { read: [repository] } }).success) return undefined;
  return `${what}, ${quoted(repository)}, which is not granted. ${howToGet(grant, 'filesystem.read', repository)}`;
}

/** The repository's own folder, which has the objects and references of all its worktrees and submodules. */
function repositoryOf(path: string): string {
  return path.replace(/\/(?:worktrees|modules)\/.*$/, '');
}

/** `undefined` for a variable that the run has: then another environment lacked it. */
function missingVariable(name: string, grant: HintedGrant): string | undefined {
  if (grant.capabilities.env.includes(name) || !Capabilities.safeParse({ env: [name] }).success)
    return undefined;
  return `The skill needs the environment variable ${name}, which is not granted. ${howToGet(grant, 'env', name)}`;
}

function writtenToSkill(path: string): string | undefined {
  if (!liesWithin(path, '/skill')) return undefined;
  return `The skill tried to write ${quoted(path)}, but its own folder is read-only. Write results to the working folder, /workspace, and temporary files to /tmp.`;
}

/**
 * `undefined` for a path inside the sandbox, and for a granted path that is missing on the host
 * too.
 */
function missingPath(mode: 'read' | 'write', path: string, grant: HintedGrant): string | undefined {
  const { read, write } = grant.capabilities.filesystem;
  const isGranted = (mode === 'read' ? [...read, ...write] : write).some((root) => liesWithin(path, root));
  const isPath = Capabilities.safeParse({ filesystem: { read: [path] } }).success;
  if (isGranted || !isPath || !mayBeOfHost(path, grant)) return undefined;
  return `The skill could not ${mode} ${quoted(path)}: its sandbox has only granted paths. ${howToGet(grant, `filesystem.${mode}`, path)}`;
}

function missingTemporary(path: string): string | undefined {
  if (!liesWithin(path, '/tmp') || path === '/tmp') return undefined;
  return `The skill found no ${quoted(path)}: each run has its own empty /tmp. ${sendFile}`;
}

/** A name with blanks could read as a sentence of Ambit. It contains no quotation mark; see `hostile`. */
function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}

/**
 * A relative path is resolved in the working folder: the workspace, which has neither the skill's files nor the caller's,
 * or the skill's own folder.
 */
function missingFile(path: string, grant: HintedGrant): string {
  // A script can print the error of a program that it could not start.
  if (grant.context.missingPrograms?.includes(path)) return missingProgram(path, grant);
  const { skill } = grant;
  const { run, files, requestedBy } = skill;
  const isProcess = run.runtime === 'process';
  const isInFolder = isProcess && run.cwd === 'skill';
  const what = `The skill found no ${quoted(path)} in its working folder, ${isInFolder ? '/skill' : '/workspace'}`;
  if (isInFolder) return `${what}. Files sent with the call are in /workspace: ${waysToSend}`;
  const file = path.replace(/^(?:\.\/)+/, '');
  if (!files.some((each) => each.path === file))
    return `${what}. That folder has only files sent with the call: ${waysToSend}`;
  const own = `${what}. The files of the skill are in /skill: write ${quoted(`/skill/${file}`)}`;
  return isProcess ? `${own}${inFolder[requestedBy]}.` : `${own}.`;
}

/** The setting, in a hint, that makes the skill's folder the working folder of its script. */
const inFolder = {
  sidecar: ', or run.cwd: skill in its ambit.yaml',
  operator: ', or run: { runtime: process, cwd: skill } in its ambit.yaml',
  none: '',
};

const waysToSend = '--file PATH on the command line, "files" over HTTP and MCP.';

const sendFile = `Send the file with the call and name it without its folder: ${waysToSend}`;

/** Whether the host may have a path that the sandbox lacks. */
function mayBeOfHost(path: string, { context: { isInstalled } }: HintedGrant): boolean {
  return !isOwnPath(path) || (liesWithin(path, '/usr') && isInstalled?.(path) === true);
}

/** Whether a path is one of the sandbox itself. */
function isOwnPath(path: string): boolean {
  return ownFolders.some((folder) => liesWithin(path, folder));
}

const ownFolders =
  '/skill /workspace /tmp /ambit /usr /bin /sbin /lib /lib64 /etc /proc /dev /sys /run'.split(' ');

/** Returns the steps that give the skill `item`, or any item of its kind. */
function howToGet(granted: HintedGrant, kind: CapabilityKind, item?: string): string {
  const { skill, operator, narrowed, context } = granted;
  const line = grantLine(skill.id, kind, item, operator);
  if (isUnapprovedPython(skill)) return `To allow it, ${trustRemedy(granted)}`;
  if (context.isForModel)
    return `A person can grant it (to read the skill: "ambit skills review ${skill.id}").`;
  if (skill.requestedBy === 'operator') {
    const isHeld = items(operator).some((each) => each.kind === kind && each.text === item);
    if (narrowed && isHeld) return "It is granted, but the call or its key's ceiling leaves it out.";
    return `To allow it, add to ambit.config.yaml: ${line}`;
  }
  const field =
    skill.requestedBy === 'none'
      ? `capabilities.${kind} of ${skill.run.entry} in run.scripts`
      : `run.capabilities.${kind}`;
  const grant = kind === 'exec' ? '.' : `, and add to ambit.config.yaml: ${line}`;
  return `To allow it, add ${item ?? 'it'} to ${field} in the skill's ambit.yaml${grant}`;
}
