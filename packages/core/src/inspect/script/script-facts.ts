import { programSetNames, programsNamed } from '../../capability/program-sets.ts';
import type { TextFile } from '../inspected-skill.ts';
import { scanText, type TextMatch, type TextPattern } from '../scan-text.ts';
import { type Language, languageOf } from './language.ts';
import { isStandardModule, packageOfModule, wasmModule } from './python-packages.ts';

/** Something that a script's text names, with the position of the first mention. */
export interface NamedFact {
  name: string;
  index: number;
}

/** The names in the text of a script. A script can do more: names can be built while it runs. */
export interface ScriptFacts {
  file: TextFile;
  language: Language;
  /** Top-level modules, except the skill's own. */
  imports: readonly NamedFact[];
  /** Packages that do not come with the language, by their usual names. */
  packages: readonly NamedFact[];
  /** Programs that it starts. */
  programs: readonly NamedFact[];
  /** Words that are programs that it starts, if this machine has programs with these names. */
  commands: readonly NamedFact[];
  /** `host` or `host:port`, in lower case. */
  hosts: readonly NamedFact[];
  environment: readonly NamedFact[];
  /** Absolute paths and paths in the home folder. */
  paths: readonly NamedFact[];
  /** Whether it can send data over the network by itself. */
  connects: boolean;
  /** The first place that takes the whole environment. */
  wholeEnvironment: TextMatch | undefined;
  /** The first long literal of a script that decodes and runs something. */
  encodedLiteral: TextMatch | undefined;
}

const urlHost: TextPattern = {
  words: ['http', 'https', 'ws', 'wss', 'ftp'],
  pattern:
    /\b(?:https?|wss?|ftp):\/\/(?:[^\s/@"'`<>]{1,80}@)?((?:[a-z0-9-]{1,63}\.){1,8}[a-z][a-z0-9-]{1,62}(?::\d{1,5})?|(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?)(?=[/\s"'`)?#\\>,;}]|$)/gi,
};
const path: TextPattern = {
  words: [],
  pattern: /(?<=["'`\s=(:,])(?:~|\$HOME)?\/(?:[\w.-]{1,64}\/){0,8}[\w.*-]{1,64}\/?(?=["'`\s),;:]|$)/g,
};
const connecting: TextPattern = {
  words: [
    ...[
      'requests',
      'urllib',
      'httpx',
      'aiohttp',
      'http',
      'socket',
      'smtplib',
      'ftplib',
      'fetch',
      'axios',
      'https',
    ],
    ...[
      'xmlhttprequest',
      'websocket',
      'curl',
      'wget',
      'nc',
      'ncat',
      'scp',
      'rsync',
      'ssh',
      'net',
      'iwr',
      'invoke',
      'paramiko',
      'dns',
      'nslookup',
      'dig',
    ],
  ],
  pattern:
    /\b(?:requests\.(?:get|post|put|patch|request|Session)|urllib\.request|urlopen|httpx\.|aiohttp\.|http\.client|socket\.(?:socket|create_connection)|smtplib|ftplib|paramiko|fetch\s*\(|axios\b|XMLHttpRequest|WebSocket\s*\(|https?\.(?:request|get)\s*\(|net\.connect|(?:curl|wget|nc|ncat|scp|rsync|ssh|nslookup|dig)\s+[-"'$\w]|Invoke-WebRequest|iwr\s)/g,
};
const wholeEnvironment: TextPattern = {
  words: ['environ', 'env', 'printenv'],
  pattern:
    /\b(?:dict\(os\.environ\)|os\.environ\.(?:copy|items)\(\)|json\.dumps\([^\n]{0,40}os\.environ\b(?!\[|\.get)|str\(os\.environ\)|JSON\.stringify\([^\n]{0,40}process\.env\b(?!\.)|Object\.(?:entries|keys)\(process\.env\)|\$\((?:env|printenv)\))|(?:^|[;|&]\s*)(?:env|printenv)\s*[|>]/gm,
};
const decodes: TextPattern = {
  words: [
    'b64decode',
    'b32decode',
    'b85decode',
    'unhexlify',
    'fromhex',
    'atob',
    'base64',
    'decompress',
    'hex',
  ],
  pattern:
    /\b(?:b64decode|b32decode|b85decode|a85decode|unhexlify|fromhex|atob|decompress)\s*\(|["'](?:base64|hex)["']|\bbase64\s+(?:-d|--decode)/g,
};
const runs: TextPattern = {
  words: ['exec', 'eval', 'compile', 'function', 'loads', 'marshal', 'child_process', 'vm', 'source'],
  pattern:
    /(?<![.\w])(?:exec|eval)\s*\(|\bnew Function\s*\(|\bmarshal\.loads|\bvm\.run\w*\(|(?:^|[;&|]\s*)eval\s+["'$]/gm,
};

const pythonImport: TextPattern = {
  words: ['import', 'from'],
  pattern:
    /^[ \t]*(?:import[ \t]+([A-Za-z_][\w., \t]{0,300})|from[ \t]+([A-Za-z_][\w.]{0,200})[ \t]+import\b)/gm,
};
const pythonProgram: TextPattern = {
  words: [
    'run',
    'popen',
    'call',
    'check_output',
    'check_call',
    'system',
    'which',
    'getoutput',
    'execvp',
    'create_subprocess_exec',
  ],
  pattern:
    /\b(?:subprocess\.(?:run|Popen|call|check_output|check_call|getoutput)|(?<![.\w])(?:run|Popen|check_output|check_call)|os\.(?:system|popen|execvp)|shutil\.which|create_subprocess_(?:exec|shell))\s*\(\s*\[?\s*f?["']([A-Za-z0-9_./+-]{1,80})/g,
};
const pythonEnvironment: TextPattern = {
  words: ['environ', 'getenv'],
  pattern: /\b(?:environ(?:\.get\(|\.pop\(|\[)|getenv\()\s*["']([A-Za-z_]\w{0,80})/g,
};
const javascriptImport: TextPattern = {
  words: ['require', 'import', 'from'],
  pattern: /\b(?:require\s*\(\s*|import\s*\(\s*|from\s+|import\s+)["']([@\w][^"'\n]{0,120})["']/g,
};
const javascriptProgram: TextPattern = {
  words: ['spawn', 'exec', 'execsync', 'spawnsync', 'execfile', 'execfilesync', 'execa'],
  pattern:
    /\b(?:spawn|exec|execSync|spawnSync|execFile|execFileSync|execa)\s*\(\s*["'`]([A-Za-z0-9_./+-]{1,80})/g,
};
const javascriptEnvironment: TextPattern = {
  words: ['env'],
  pattern: /\bprocess\.env(?:\.|\[["'])([A-Za-z_]\w{0,80})/g,
};
const shellProgram: TextPattern = {
  words: [],
  pattern:
    /(?:^|[;|&(]\s*|\b(?:then|do|else|exec|sudo|xargs|time)\s+)\s{0,40}(curl|wget|git|gh|docker|podman|kubectl|helm|aws|gcloud|az|ssh|scp|rsync|nc|ncat|node|npm|npx|pnpm|yarn|bun|deno|python3?|pip3?|uv|ruby|perl|php|go|cargo|make|jq|yq|ffmpeg|ffprobe|pandoc|convert|magick|soffice|libreoffice|psql|mysql|sqlite3|redis-cli|openssl|gpg|zip|unzip|7z|osascript|open|powershell|crontab|systemctl|chromium|google-chrome)(?=\s|$)/gm,
};
/**
 * A command in any position of a shell script, and what it looks up. Only programs of this machine are meant. `import json` is
 * Python inside the script, and not the program of ImageMagick that takes pictures of the screen, which has options.
 */
const shellCommand: TextPattern = {
  words: [],
  pattern:
    /(?:^|[;|&({`]|\b(?:then|do|else|elif|if|while|until|exec|sudo|xargs|time|nohup|env|command(?: -[vV])?|which|type(?: -P)?|hash)(?= ))[ \t]{0,40}((?!(?:then|do|else|elif|if|while|until|exec|sudo|xargs|time|nohup|env|command|which|type|hash)[ \t]|import[ \t]{1,40}[A-Za-z_])[A-Za-z0-9_][\w.+-]{0,60})(?=[ \t]|$|[;|&)`])/gm,
};
/** The first word of a list whose name, or the function that takes it, suggests a command. */
const pythonCommand: TextPattern = {
  words: [],
  pattern:
    /\b\w{0,40}(?:run|exec|call|spawn|cmd|command|popen|args|argv)\w{0,20}\s{0,10}(?:\(|(?::[^=\n]{1,40})?=)\s{0,40}\[\s{0,40}[rf]?["']([A-Za-z0-9_./+-]{1,80})["']/gi,
};
const javascriptCommand: TextPattern = {
  words: [],
  pattern: /\b\w{0,20}(?:exec|spawn)\w{0,20}\s{0,10}\(\s{0,40}["'`]([A-Za-z0-9_./+-]{1,80})/gi,
};
/** Calls that give a command to `sh`. */
const pythonShell: TextPattern = {
  words: [],
  pattern:
    /\bos\.(?:system|popen)\s*\(|\b(?:getoutput|getstatusoutput|create_subprocess_shell)\s*\(|\bshell\s{0,5}=\s{0,5}True\b/g,
};
const javascriptShell: TextPattern = {
  words: [],
  pattern:
    /\bexecSync\s*\(|(?<![.\w])exec\s*\(\s{0,40}["'`]|\bpromisify\s*\(\s{0,5}(?:\w{1,40}\.)?exec\s*\)|\bshell\s{0,5}:\s{0,5}true\b/g,
};
const shellEnvironment: TextPattern = { words: [], pattern: /\$\{?([A-Z][A-Z0-9_]{2,80})\b/g };
const shellAssignment: TextPattern = {
  words: [],
  pattern:
    /(?:^|[;&\s(])(?:export\s+|local\s+|readonly\s+)?([A-Z][A-Z0-9_]{2,80})=|\b(?:read|for)\s+(?:-\w+\s+)*([A-Z][A-Z0-9_]{2,80})\b/gm,
};

const common = [urlHost, path, connecting, wholeEnvironment, decodes, runs];

const patterns: Readonly<Record<Language, readonly TextPattern[]>> = {
  python: [...common, pythonImport, pythonProgram, pythonCommand, pythonShell, pythonEnvironment],
  javascript: [
    ...common,
    javascriptImport,
    javascriptProgram,
    javascriptCommand,
    javascriptShell,
    javascriptEnvironment,
  ],
  shell: [...common, shellProgram, shellCommand, shellEnvironment, shellAssignment],
  powershell: common,
  other: common,
};

/** The facts of a script. `modules` are the names of the skill's own modules. */
export function scriptFacts(file: TextFile, language: Language, modules: ReadonlySet<string>): ScriptFacts {
  const found = scanText(file.text, patterns[language]);
  const of = (...wanted: TextPattern[]): TextMatch[] => wanted.flatMap((each) => found.get(each) ?? []);
  const assigned = new Set(of(shellAssignment).flatMap(({ groups }) => groups));
  const imports = unique([
    ...of(pythonImport).flatMap(({ index, groups: [plain, from] }) =>
      (from ?? plain ?? '').split(',').map((name) => ({ name: topLevelModule(name), index })),
    ),
    ...of(javascriptImport).map(({ index, groups: [name = ''] }) => ({ name: packageIn(name), index })),
  ]).filter(({ name }) => name !== '' && !modules.has(name));
  const first = (wanted: TextPattern): NamedFact[] =>
    of(wanted).map(({ index, groups: [name = ''] }) => ({ name, index }));
  const programFacts = (...wanted: TextPattern[]): NamedFact[] =>
    wanted.flatMap(first).map(({ name, index }) => ({ name: programName(name), index }));
  return {
    file,
    language,
    imports,
    packages: unique(
      language === 'python'
        ? imports
            .filter(({ name }) => !isStandardModule(name) && name !== wasmModule)
            .map(({ name, index }) => ({ name: packageOfModule(name), index }))
        : imports.filter(({ name }) => !nodeModule.test(name)),
    ),
    programs: unique([
      ...programFacts(pythonProgram, javascriptProgram, shellProgram),
      ...[...of(pythonShell), ...of(javascriptShell)].map(({ index }) => ({ name: 'sh', index })),
    ]),
    commands: unique(programFacts(pythonCommand, javascriptCommand, shellCommand)),
    hosts: unique(first(urlHost).map(({ name, index }) => ({ name: name.toLowerCase(), index }))),
    environment: unique(
      [...first(pythonEnvironment), ...first(javascriptEnvironment), ...first(shellEnvironment)].filter(
        ({ name }) => !assigned.has(name),
      ),
    ),
    paths: unique(of(path).map(({ text, index }) => ({ name: text, index }))),
    connects: of(connecting).length > 0,
    wholeEnvironment: of(wholeEnvironment)[0],
    encodedLiteral: of(decodes).length > 0 && of(runs).length > 0 ? longLiteral(file.text) : undefined,
  };
}

/** The names in a script that decide what its sandbox needs. Found faster than by `scriptFacts`. */
export interface ScriptNames {
  /** Top-level Python modules that do not come with Python, and packages of JavaScript. */
  imports: readonly string[];
  /** Programs that it may start, if this machine has them. */
  programs: readonly string[];
}

/** The names in the text of a script; empty for a file that is none. */
export function scriptNames({ path, text }: Pick<TextFile, 'path' | 'text'>): ScriptNames {
  const language = languageOf(path, text);
  const wanted = [pythonImport, javascriptImport, ...programPatterns, pythonShell, javascriptShell].filter(
    (each) => language !== undefined && patterns[language].includes(each),
  );
  const matches = scanText(text, wanted);
  const names = (of: readonly TextPattern[]): string[] =>
    of
      .flatMap((each) => matches.get(each) ?? [])
      .toSorted((a, b) => a.index - b.index)
      .flatMap(({ groups }) => groups.find((group) => group !== undefined) ?? []);
  const imports = names([pythonImport]).flatMap((list) => list.split(',').map(topLevelModule));
  const shells = [pythonShell, javascriptShell].flatMap((each) => (matches.get(each)?.length ? ['sh'] : []));
  return {
    imports: [
      ...new Set(imports.filter((name) => name !== '' && !isStandardModule(name))),
      ...new Set(names([javascriptImport]).map(packageIn)),
    ],
    programs: [...new Set([...names(programPatterns).map(programName), ...shells])].filter(
      (name) => !shellWords.has(name),
    ),
  };
}

const programPatterns = [
  pythonProgram,
  pythonCommand,
  javascriptProgram,
  javascriptCommand,
  shellProgram,
  shellCommand,
];

/** Words of shells that are also programs, which scripts do not start. */
const shellWords: ReadonlySet<string> = new Set(
  '[ alias break case cd command continue do done echo elif else esac eval exec exit export false fi for function getopts hash if in kill local printf pwd read readonly return select set shift source test then time times trap true type ulimit umask unset until wait while'.split(
    ' ',
  ),
);

/** Whether scripts of a language have a program without naming it in a grant, or it is a word of shells. */
export function isUsualProgram(name: string, language: Language): boolean {
  if (shellWords.has(name)) return true;
  // Only shell scripts get the usual tools.
  if (language !== 'shell') return false;
  return programSetNames.some((set) => programsNamed(set).programs.includes(name));
}

/** The top-level module of `name` or `name as other`. */
function topLevelModule(imported: string): string {
  return /^\s*(\w*)/.exec(imported)?.[1] ?? '';
}

/** The name of a program that is started by a path. */
function programName(path: string): string {
  return path.split('/').at(-1) ?? path;
}

/** Modules of Node, and the one that Ambit gives to scripts. */
const nodeModule =
  /^(?:ambit$|assert|async_hooks|buffer|child_process|cluster|console|constants|crypto|dgram|diagnostics_channel|dns|domain|events|fs|http|http2|https|inspector|module|net|os|path|perf_hooks|process|punycode|querystring|readline|repl|stream|string_decoder|sys|timers|tls|trace_events|tty|url|util|v8|vm|wasi|worker_threads|zlib)(?:$|\/)|^(?:node|bun):/;

/** `@scope/name/file` and `name/file` without the file. */
export function packageIn(specifier: string): string {
  return specifier.startsWith('node:')
    ? specifier
    : specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
}

const literalCharacters = 120;

/** The first long run of Base64 or hex. Each character is read once. */
function longLiteral(text: string): TextMatch | undefined {
  for (const { index, 0: run } of text.matchAll(/[A-Za-z0-9+/=_-]+/g))
    if (run.length >= literalCharacters) return { index, text: run, groups: [] };
  return undefined;
}

function unique(facts: readonly NamedFact[]): NamedFact[] {
  const seen = new Map<string, NamedFact>();
  for (const fact of facts) if (!seen.has(fact.name)) seen.set(fact.name, fact);
  return [...seen.values()];
}
