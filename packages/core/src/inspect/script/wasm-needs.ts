import type { TextFile } from '../inspected-skill.ts';
import { isStandardModule, packageOfModule, wasmModule } from './python-packages.ts';

/**
 * The needs in the text of a Python script that Python in WebAssembly does not meet: `package requests`, `module bz2`,
 * `program git`, `programs`, `processes`, `threads`, `sockets`, `signals`, `os.getuid`.
 */
export interface WasmNeeds {
  /** Imported at the top of a file, or called. */
  needs: string[];
  /** Imported inside a function, `if` or `try`. */
  mayNeed: string[];
}

/** The missing things, each with whether the text needs it for certain. */
type Lacks = Map<string, boolean>;

/** The facts in the text of one file. */
interface FileFacts {
  lacks: Lacks;
  /** Own modules that it may import, by paths without `.py` that end in these texts, and whether it does for certain. */
  own: Map<string, boolean>;
}

const namesMax = 20;

/**
 * Returns what each Python file needs, with the needs of the skill's own modules that it imports. `modules` are the names of the
 * skill's own modules. A script can do more than its text says, and can handle that something is missing.
 */
export function wasmNeeds(
  files: readonly TextFile[],
  modules: ReadonlySet<string>,
): ReadonlyMap<string, WasmNeeds> {
  const python = files.filter(({ language }) => language === 'python');
  const facts = new Map(python.map((file) => [file.path, factsOf(file, modules)]));
  const find = moduleFinder(python.map(({ path }) => path));
  return new Map(python.map(({ path }) => [path, sorted(together(path, facts, find))]));
}

/** The lacks of a file and of every file that it imports. */
function together(
  start: string,
  facts: ReadonlyMap<string, FileFacts>,
  find: (module: string) => readonly string[],
): Lacks {
  const all: Lacks = new Map();
  const seen = new Map<string, boolean>();
  const open: [path: string, sure: boolean][] = [[start, true]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, sure] = next;
    const known = seen.get(path);
    if (known === true || known === sure) continue;
    seen.set(path, sure);
    const { lacks, own } = facts.get(path) as FileFacts;
    for (const [name, isSure] of lacks) add(all, name, sure && isSure);
    for (const [module, isSure] of own) for (const each of find(module)) open.push([each, sure && isSure]);
  }
  return all;
}

function sorted(lacks: Lacks): WasmNeeds {
  const of = (wanted: boolean): string[] =>
    [...lacks]
      .flatMap(([name, sure]) => (sure === wanted ? [name] : []))
      .sort()
      .slice(0, namesMax);
  return { needs: of(true), mayNeed: of(false) };
}

function add(lacks: Map<string, boolean>, name: string, sure: boolean): void {
  lacks.set(name, sure || lacks.get(name) === true);
}

/** Finds own modules by the end of their path, because the folders that Python searches are unknown. */
function moduleFinder(paths: readonly string[]): (module: string) => readonly string[] {
  const byName = new Map<string, { path: string; module: string }[]>();
  for (const path of paths) {
    const module = `/${path.replace(/\.py$/, '').replace(/\/__init__$/, '')}`;
    const name = module.slice(module.lastIndexOf('/') + 1);
    byName.set(name, [...(byName.get(name) ?? []), { path, module }]);
  }
  return (wanted) =>
    (byName.get(wanted.slice(wanted.lastIndexOf('/') + 1)) ?? [])
      .filter(({ module }) => module.endsWith(`/${wanted}`))
      .map(({ path }) => path);
}

function factsOf(file: TextFile, modules: ReadonlySet<string>): FileFacts {
  const code = withoutTexts(file.text);
  const lacks: Lacks = new Map();
  const own = new Map<string, boolean>();
  for (const { module, names, sure } of importsIn(code)) {
    const parts = module.split('.').filter((part) => part !== '');
    const [top = ''] = parts;
    const full = [parts.join('.'), ...names.map((name) => [...parts, name].join('.'))];
    if (module.startsWith('.') || modules.has(top)) {
      for (const each of full) {
        const steps = each.split('.');
        for (let length = 1; length <= steps.length; length += 1)
          add(own, steps.slice(0, length).join('/'), sure);
      }
    } else if (isStandardModule(top)) for (const lack of lacksOf(full)) add(lacks, lack, sure);
    else if (top !== wasmModule && top !== '') add(lacks, `package ${packageOfModule(top)}`, sure);
  }
  for (const [lack, pattern] of calls) if (pattern.test(code)) add(lacks, lack, true);
  const checks = /\bhasattr\s*\(\s*os\b/.test(code);
  for (const [, name] of code.matchAll(missingFunction)) add(lacks, `os.${name}`, !checks);
  for (const { index, 0: call } of code.matchAll(started))
    add(lacks, programAt(file.text, index + call.length), true);
  if ([...lacks.keys()].some((lack) => lack.startsWith('program '))) lacks.delete('programs');
  return { lacks, own };
}

/**
 * Python code with spaces for comments and texts. Positions and lines stay the same. A text that does not end is a
 * match too, so no character is read twice.
 */
function withoutTexts(text: string): string {
  return text.replace(
    /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|#[^\n]*/g,
    (found) => found.replace(/[^\n]/g, ' '),
  );
}

interface Import {
  /** Dotted, with leading dots if it is relative. */
  module: string;
  /** The names that it takes from the module. */
  names: string[];
  /** Whether it is at the top of the file. */
  sure: boolean;
}

// The module cannot be empty: in a long run of blanks, each of them could otherwise end the first run and begin the second.
const importLine =
  /^([ \t]*)(?:import[ \t]+([\w., \t]{1,300})|from[ \t]+(?=[\w.])(\.{0,9}[\w.]{0,200})[ \t]+import\b[ \t]*(?:\(([\w,\s]{0,300})|([\w, \t]{0,300})))/gm;

function importsIn(code: string): Import[] {
  return [...code.matchAll(importLine)].flatMap(([, indent, plain, from, several, taken]) => {
    const sure = indent === '';
    const words = (list = ''): string[] =>
      list.split(',').flatMap((each) => /^\s*([\w.]+)/.exec(each)?.[1] ?? []);
    if (from !== undefined) return [{ module: from, names: words(several ?? taken), sure }];
    return words(plain).map((module) => ({ module, names: [], sure }));
  });
}

/** Modules of Python that it has no use for, or that cannot be imported there. */
const missingModules: ReadonlySet<string> = new Set(
  (
    'bz2 ctypes curses dbm.gnu dbm.ndbm distutils ensurepip fcntl grp idlelib lib2to3 lzma mmap nis ' +
    'ossaudiodev pty pwd readline resource spwd ssl syslog termios tkinter tty turtle turtledemo venv'
  ).split(' '),
);

/** Modules that only make sense with sockets. Requests of `urllib.request` go through the egress proxy. */
const socketModules: ReadonlySet<string> = new Set(
  (
    'asynchat asyncore ftplib http.server imaplib nntplib poplib smtpd smtplib socketserver telnetlib ' +
    'wsgiref.simple_server xmlrpc'
  ).split(' '),
);

const otherLacks: Readonly<Record<string, string>> = {
  multiprocessing: 'processes',
  'concurrent.futures.process': 'processes',
  'threading.Thread': 'threads',
  'threading.Timer': 'threads',
  ...Object.fromEntries(
    ['run', 'Popen', 'call', 'check_output', 'check_call', 'getoutput', 'getstatusoutput'].map((name) => [
      `subprocess.${name}`,
      'programs',
    ]),
  ),
};

/** Lists what Python in WebAssembly lacks of modules, given with and without the names that are imported from them. */
function lacksOf(modules: readonly string[]): string[] {
  const prefixes = new Set(
    modules.flatMap((module) => {
      const parts = module.split('.');
      return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
    }),
  );
  return [...prefixes].flatMap((name) => {
    if (missingModules.has(name)) return [`module ${name}`];
    if (socketModules.has(name)) return ['sockets'];
    return Object.hasOwn(otherLacks, name) ? [otherLacks[name] as string] : [];
  });
}

const calls: readonly [lack: string, pattern: RegExp][] = [
  ['processes', /\bProcessPoolExecutor\s*\(|\bmultiprocessing\.\w/],
  [
    'threads',
    /\bthreading\.(?:Thread|Timer)\b|\bThreadPool(?:Executor)?\s*\(|\b_thread\.start_new_thread\b|\basyncio\.to_thread\b|\.run_in_executor\s*\(/,
  ],
  [
    'sockets',
    /\bsocket\.(?:socket|socketpair|create_connection|create_server|getaddrinfo|gethostby\w{1,20}|gethostname|getfqdn)\s*\(|\bHTTPS?Connection\s*\(|\basyncio\.(?:open_connection|start_server|open_unix_connection|start_unix_server)\b/,
  ],
  ['signals', /\bsignal\.(?:alarm|setitimer|pause|sigwait\w{0,20}|set_wakeup_fd)\s*\(/],
];

const missingFunction =
  /\bos\.(getuid|geteuid|getgid|getegid|getgroups|getlogin|getppid|getloadavg|getpriority|chown|lchown|umask|kill|killpg|mkfifo|mknod|pipe|statvfs|nice|setsid|setuid|setgid|openpty)\s*\(/g;

/** A call that starts another program, up to its first argument. */
const started =
  /(?:\bsubprocess\.(?:run|Popen|call|check_output|check_call|getoutput|getstatusoutput)|(?<![.\w])(?:Popen|check_output|check_call)|\bos\.(?:system|popen|fork|forkpty|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)|\bcreate_subprocess_(?:exec|shell)|\bpty\.spawn)\s*\(/g;

/** The program that a call names at this position; in general if it names none. */
function programAt(text: string, at: number): string {
  const found = /^\s{0,200}\[?\s{0,200}f?["']([A-Za-z0-9_./+-]{1,80})/.exec(text.slice(at, at + 500));
  const name = found?.[1]?.split('/').at(-1);
  return name === undefined || name === '' ? 'programs' : `program ${name}`;
}
