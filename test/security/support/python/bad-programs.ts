import { expect } from 'vitest';
import type { Outcome } from '../../../../packages/core/src/execute.ts';
import type { RequestedLimits } from '../../../../packages/core/src/policy.ts';

/** A program that tries something, and how its call must end. */
export interface BadProgram {
  /** Continues "a program that". */
  claim: string;
  source: string;
  outcome: unknown;
  limits?: RequestedLimits;
  /** Other files of its skill. */
  files?: Readonly<Record<string, string>>;
}

const fuel = 300_000_000;
/** The memory of every program. */
export const memoryBytes = 64 * 1024 * 1024;
const outOfFuel = (stdout = ''): Outcome => ({ status: 'out-of-fuel', fuel, stdout, stderr: '' });
const printed = (stdout: string): Outcome => ({
  status: 'succeeded',
  output: { exitCode: 0, stdout, stderr: '' },
});
const exited = (exitCode: number): Outcome => ({
  status: 'failed',
  failure: { exitCode },
  stdout: '',
  stderr: '',
});
/** The message is the engine's. */
const trapped = { status: 'failed', failure: { trap: expect.any(String) }, stdout: '', stderr: '' };
/** Broken bytecode does what memory happens to hold. Its call ends in any way, after what it printed first. */
const wild = {
  asymmetricMatch: (outcome: Outcome): boolean =>
    ['succeeded', 'failed', 'out-of-fuel', 'out-of-memory', 'output-too-large'].includes(outcome.status),
};

/** Runs each attempt, and prints the name of its exception or what it gave. */
const attempts = (...lines: string[]): string => `def attempt(run):
    try:
        print(run(), flush=True)
    except BaseException as error:
        print(type(error).__name__, flush=True)

import os, sys
library = sys.path[-1]
${lines.map((line) => `attempt(lambda: ${line})`).join('\n')}
`;

const loops: BadProgram[] = [
  {
    claim: 'loops until its deadline',
    source: 'while True:\n    pass\n',
    outcome: { status: 'timed-out', timeoutMs: 1000, stdout: '', stderr: '' },
    limits: { timeoutMs: 1000 },
  },
  {
    claim: 'fills a dictionary with keys of equal hashes',
    source: 'keys = {}\nfor number in range(100000):\n    keys[number * (2 ** 31 - 1)] = number\n',
    outcome: outOfFuel(),
    limits: { fuel },
  },
  {
    claim: 'sleeps until its deadline',
    source: 'import time\ntime.sleep(1000)\n',
    outcome: { status: 'timed-out', timeoutMs: 1000, stdout: '', stderr: '' },
    limits: { timeoutMs: 1000 },
  },
  ...(
    [
      ['loops until its fuel is used up', 'print("so far", flush=True)\nwhile True:\n    pass\n', 'so far\n'],
      [
        'catches every exception in its loop',
        'while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass\n',
      ],
      ['computes a power with a huge exponent', '3 ** 10 ** 8\n'],
      ['multiplies huge numbers', 'n = 7 ** 200_000\nwhile True:\n    n * n\n'],
      ['reads a huge number', 'import sys\nsys.set_int_max_str_digits(0)\nint("9" * 10 ** 6)\n'],
      ['matches a catastrophic expression', 'import re\nre.match("(a+)+$", "a" * 50 + "b")\n'],
      ['adds up an endless iterator', 'import itertools\nsum(itertools.count())\n'],
      ['searches an endless iterator', 'import itertools\n-1 in itertools.count()\n'],
      [
        'traces and profiles its endless loop',
        'import sys\ndef trace(*args):\n    return trace\nsys.settrace(trace)\nsys.setprofile(trace)\nwhile True:\n    pass\n',
      ],
      [
        'loops in a finalizer when it ends',
        'class Stays:\n    def __del__(self):\n        while True:\n            pass\nstays = Stays()\n',
      ],
      [
        'loops when it exits',
        'import atexit\n@atexit.register\ndef stay():\n    while True:\n        pass\n',
      ],
    ] as const
  ).map(([claim, source, stdout]) => ({ claim, source, outcome: outOfFuel(stdout), limits: { fuel } })),
];

const memory: BadProgram[] = [
  {
    claim: 'asks for more memory than it may have, in small and large pieces',
    source: attempts(
      'bytearray(1 << 30)',
      'sorted(range(10 ** 9, 0, -1))',
      '[bytearray(1 << 20) for _ in range(1000)]',
      '"x" * (1 << 31)',
      'eval("(" * 100_000)',
      'len([0] * 1000)',
    ),
    outcome: printed(`${'MemoryError\n'.repeat(3)}OverflowError\nMemoryError\n1000\n`),
  },
  {
    claim: 'takes memory until it has no more',
    source: 'blocks = []\nwhile True:\n    blocks.append(bytearray(1 << 20))\n',
    outcome: {
      status: 'out-of-memory',
      memoryBytes,
      stdout: '',
      stderr: expect.stringMatching(/\nMemoryError\n$/),
    },
  },
  {
    claim: 'sorts an endless iterator',
    source: attempts('__import__("builtins").sorted(__import__("itertools").count())'),
    outcome: printed('MemoryError\n'),
  },
  {
    claim: 'expands entities of XML',
    source: `import xml.etree.ElementTree as ET
entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
${attempts('ET.fromstring(f\'<!DOCTYPE a [<!ENTITY e0 "x">{entities}]><a>&e9;</a>\')')}`,
    outcome: printed('ParseError\n'),
  },
  {
    claim: 'fills its file system',
    source: `import os
try:
    with open("large", "wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 20))
except OSError as error:
    print(os.strerror(error.errno))
os.remove("large")
`,
    outcome: printed('No space left on device\n'),
  },
];

const recursion: BadProgram[] = [
  {
    claim: 'recurses without end',
    source: `import json
nested = []
for _ in range(100_000):
    nested = [nested]

def deeper():
    return deeper()

class Loop:
    def __getattr__(self, name):
        return getattr(self, name)

${attempts('deeper()', 'Loop().x', 'repr(nested)', 'json.dumps(nested)', 'json.loads("[" * 100_000)', 'hash(eval("(" * 50 + "1" + ",)" * 50))')}`,
    outcome: printed(expect.stringMatching(/^(?:RecursionError\n){5}-?\d+\n$/)),
  },
  ...(
    [
      [
        'attributes',
        'class Loop:\n    def __getattr__(self, name):\n        return getattr(self, name)\nLoop().x\n',
      ],
      ['nested JSON', 'import json\njson.loads("[" * 1_000_000)\n'],
      ['nested lists', 'nested = []\nfor _ in range(1_000_000):\n    nested = [nested]\nrepr(nested)\n'],
      ['calls from C', 'def call():\n    max([1], key=lambda _: call())\ncall()\n'],
    ] as const
  ).map(([of, source]) => ({
    claim: `recurses in C by ${of}, without the limit of Python`,
    source: `import sys\nsys.setrecursionlimit(10 ** 9)\n${source}`,
    outcome: trapped,
  })),
];

const ends: BadProgram[] = [
  {
    claim: 'ends immediately',
    source: 'import os\nprint("lost", end="")\nos._exit(3)\n',
    outcome: exited(3),
  },
  { claim: 'aborts', source: 'import os\nos.abort()\n', outcome: trapped },
  {
    claim: 'reads an address that is none',
    source: 'import faulthandler\nfaulthandler._sigsegv()\n',
    outcome: { ...trapped, stderr: expect.any(String) },
  },
  {
    claim: 'sends itself a signal',
    source: 'import signal\nsignal.raise_signal(signal.SIGTERM)\n',
    outcome: { ...trapped, stderr: expect.any(String) },
  },
  {
    claim: 'has no system to call',
    source: attempts(
      '__import__("ctypes")',
      '__import__("mmap")',
      'os.fork()',
      'os.kill(1, 9)',
      'os.system("id")',
      'os.execv("/bin/sh", ["sh"])',
      '__import__("subprocess").run(["id"])',
      '__import__("threading").Thread(target=print).start()',
      '__import__("signal").alarm(1)',
      '__import__("socket").socket()',
      '__import__("socket").create_connection(("127.0.0.1", 80))',
    ),
    outcome: printed(
      `${'ModuleNotFoundError\n'.repeat(2)}${'AttributeError\n'.repeat(4)}OSError\nRuntimeError\nAttributeError\nOSError\ngaierror\n`,
    ),
  },
];

const bytecode = (bytes: readonly number[]): string => `import types
def victim(): pass
code = victim.__code__.replace(co_code=bytes(${JSON.stringify(bytes)}), co_stacksize=10)
print("calling", flush=True)
print(types.FunctionType(code, {})())
`;
const repeated = (times: number, ...bytes: number[]): number[] =>
  Array.from({ length: times }, () => bytes).flat();

const crafted: BadProgram[] = (
  [
    ['loads a constant far outside', [151, 0, 144, 255, 144, 255, 144, 255, 100, 255, 83, 0]],
    ['loads a local variable far outside', [151, 0, 144, 255, 144, 255, 124, 255, 83, 0]],
    ['stores a local variable outside', [151, 0, 100, 0, 144, 1, 144, 0, 125, 0, 100, 0, 83, 0]],
    ['takes more from the stack than there is', [151, 0, ...repeated(400, 1, 0), 83, 0]],
    ['puts more on the stack than fits', [151, 0, ...repeated(60_000, 100, 0), 83, 0]],
    ['jumps far forward', [151, 0, 144, 255, 144, 255, 110, 255]],
    ['jumps far back', [151, 0, 144, 127, 140, 255]],
    ['has no end', [151, 0, 9, 0, 9, 0]],
    ['calls with a million arguments', [151, 0, 144, 255, 144, 255, 171, 255, 83, 0]],
    ['builds a list of a million', [151, 0, 144, 15, 144, 255, 144, 255, 103, 255, 83, 0]],
    ['has unknown instructions', [255, 255, 250, 0, 3, 0, 83, 0]],
    ['is noise', Array.from({ length: 2000 }, (_, index) => (index * 37) % 256)],
  ] as const
).map(([claim, bytes]) => ({
  claim: `runs bytecode that ${claim}`,
  source: bytecode(bytes),
  outcome: wild,
  limits: { fuel: 3_000_000_000 },
}));

const files: BadProgram[] = [
  {
    claim: 'writes a longer file than it may',
    source: attempts('open("/tmp/a", "w").write("x" * 3000000)', 'open("/tmp/a", "w").write("x" * 1000)'),
    outcome: printed('OSError\n1000\n'),
    limits: { fileBytes: 1_000_000 },
  },
  {
    claim: 'looks for files of the machine',
    source: attempts(
      ...[
        ...['/proc/self/environ', '/etc/passwd', '/sys/kernel', '/dev/mem', '/skill/../etc/passwd'],
        ...['/usr/lib/../../etc/passwd', '/proc/1/root/etc/passwd', '../../etc/passwd'],
      ].map((path) => `open(${JSON.stringify(path)})`),
      'sorted(os.listdir("/"))',
      'os.listdir("/usr/lib") == [os.path.basename(library)]',
    ),
    outcome: printed(
      expect.stringMatching(
        /^(?:(?:FileNotFoundError|PermissionError)\n){8}\['dev', 'skill', 'tmp', 'usr', 'workspace'\]\nTrue\n$/,
      ),
    ),
  },
  {
    claim: 'changes the standard library and its own skill',
    source: attempts(
      'open(library, "wb")',
      'open(library, "r+b")',
      'os.remove(library)',
      'os.rename(library, "/tmp/x")',
      'os.truncate(library, 0)',
      'os.link(library, "/tmp/link")',
      'os.symlink("/tmp", "/usr/lib/x")',
      'os.rename("/tmp", "/usr")',
      'open("/usr/lib/os.py", "w")',
      'open("/skill/run.py", "a")',
      'os.remove("/skill/run.py")',
      'open("/new", "w")',
    ),
    outcome: printed(expect.stringMatching(/^(?:(?:OSError|PermissionError)\n){12}$/)),
  },
  {
    claim: 'leaves its folder by .. and symlinks, as far as its folders go',
    source: attempts(
      'open("../tmp/x", "w").close()',
      'sorted(os.listdir(".."))',
      'os.symlink("../skill", "link")',
      'os.listdir("link") == os.listdir("/skill")',
      'open("../../etc/passwd")',
      'open("../new", "w")',
      'open("link/run.py", "a")',
      'os.rename("../tmp/x", "x")',
      'os.rename("../workspace", "../tmp")',
      'os.rmdir("../tmp")',
    ),
    outcome: printed(
      `None\n['dev', 'skill', 'tmp', 'usr', 'workspace']\nNone\nTrue\nPermissionError\n${'OSError\n'.repeat(5)}`,
    ),
  },
  {
    claim: 'uses names that are not UTF-8',
    source: attempts(
      'open(b"\\xff\\xfe", "w")',
      'os.mkdir("\\udcff")',
      'open("nul\\0byte")',
      'os.listdir(".")',
    ),
    outcome: printed('OSError\nOSError\nValueError\n[]\n'),
  },
  {
    claim: 'prints without end',
    source: 'while True:\n    print("ü" * 49)\n',
    outcome: {
      status: 'output-too-large',
      outputBytes: 1000,
      stdout: `${`${'ü'.repeat(49)}\n`.repeat(10)}${'ü'.repeat(5)}`,
      stderr: '',
    },
  },
  {
    claim: 'prints errors without end',
    source: 'import sys\nwhile True:\n    print("x" * 99, file=sys.stderr)\n',
    outcome: {
      status: 'output-too-large',
      outputBytes: 1000,
      stdout: '',
      stderr: `${'x'.repeat(99)}\n`.repeat(10),
    },
  },
];

const poisons: BadProgram[] = [
  {
    claim: 'replaces builtins and functions of modules',
    source: `import builtins, json, os, sys
for name in ("len", "print", "open", "sorted", "str", "getattr"):
    setattr(builtins, name, lambda *args, **more: "poisoned")
json.dumps = os.listdir = os.getcwd = lambda *args, **more: "poisoned"
json.JSONEncoder.encode = lambda *args: "poisoned"
sys.stdout.write("poisoned")
`,
    outcome: printed('poisoned'),
  },
  {
    claim: 'changes built-in types and shared constants',
    source: `import gc, sys
gc.get_referents(str.__dict__)[0]["swapcase"] = lambda text: "poisoned"
gc.get_referents(list.__dict__)[0].pop("index")
gc.get_referents(type.__dict__)[0]["mro"] = None
sys.intern("poisoned")
print("a".swapcase(), hasattr([], "index"))
`,
    outcome: printed('poisoned False\n'),
  },
  {
    claim: 'changes modules, paths, the environment and settings',
    source: `import atexit, codecs, decimal, gc, io, json, locale, logging, os, random, re, sys, tempfile, threading, warnings
sys.modules["json"] = sys.modules["re"] = sys.modules["collections"] = sys
sys.path[:] = ["/tmp"]
sys.meta_path.clear()
sys.path_hooks.clear()
os.environ.clear()
os.environ["POISONED"] = "1"
os.chdir("/tmp")
open("/tmp/left.py", "w").write("poisoned")
open("/workspace/left", "w").write("poisoned")
sys.setrecursionlimit(200)
decimal.getcontext().prec = 1
warnings.simplefilter("error")
logging.basicConfig(level=1, filename="/tmp/log")
random.seed(1)
random.random = lambda: 0.5
tempfile.tempdir = "/poisoned"
gc.disable()
threading.settrace(print)
codecs.register_error("strict", codecs.ignore_errors)
atexit.register(print, "at exit")
sys.displayhook = sys.excepthook = sys.unraisablehook = print
sys.flags = sys.argv = sys.version_info = None
`,
    outcome: printed('at exit\n'),
  },
  {
    claim: 'empties the modules that Python itself uses',
    source: 'import _ambit, builtins, sys\n_ambit.clear(sys)\n_ambit.clear(builtins)\n',
    outcome: expect.objectContaining({ status: expect.stringMatching(/^(?:succeeded|failed)$/) }),
  },
  {
    claim: 'has modules with the names of Python’s own',
    source: 'import json, os\nprint(json.loads("{}"), os.sep)\n',
    files: {
      'json.py':
        'import builtins\nbuiltins.len = lambda value: "poisoned"\ndef loads(text):\n    return "mine"\n',
      'sitecustomize.py': 'print("poisoned")\n',
      'encodings/__init__.py': 'print("poisoned")\n',
    },
    outcome: printed('mine /\n'),
  },
  {
    claim: 'calls host functions with names and arguments that are none',
    source: `import _ambit
${attempts('_ambit.invoke("no_such", "[]")', '_ambit.invoke("__proto__", "[]")', '_ambit.invoke("constructor", "[]")', '_ambit.invoke("", "[]")', '_ambit.invoke("log", "[" * 100_000)', '_ambit.invoke("log", "{")', '_ambit.invoke("log", "null")')}`,
    outcome: printed('OSError\n'.repeat(7)),
  },
];

export const badPrograms: readonly BadProgram[] = [
  ...loops,
  ...memory,
  ...recursion,
  ...ends,
  ...crafted,
  ...files,
  ...poisons,
];

/** A program that prints what an earlier call could have left. */
export const witness = `import atexit, builtins, codecs, decimal, gc, json, logging, os, random, re, sys, tempfile, threading, warnings
print(json.dumps({
    "builtins": [len(vars(builtins)), type(len).__name__, type(open).__name__, len("abc"), sorted([2, 1])],
    "modules": sorted(sys.modules),
    "sys": [sys.path, sys.argv, len(sys.meta_path), len(sys.path_hooks), sys.getrecursionlimit(), sys.version_info[:2]],
    "hooks": [hook.__name__ for hook in (sys.displayhook, sys.excepthook, sys.unraisablehook)],
    "environment": dict(os.environ),
    "files": [os.getcwd(), os.listdir("/tmp"), os.listdir("/workspace"), os.listdir("/usr/lib"), os.listdir("/skill")],
    "library": os.path.getsize(sys.path[-1]),
    "types": ["a".swapcase(), hasattr([], "index"), str.__name__, type.mro(int)[-1].__name__],
    "settings": [decimal.getcontext().prec, len(warnings.filters), len(logging.root.handlers), logging.root.level],
    "state": [gc.isenabled(), tempfile.tempdir, atexit._ncallbacks(), sys.gettrace(), threading.gettrace()],
    "random": type(random.random).__name__,
    "codecs": codecs.lookup_error("strict").__name__,
    "encoded": json.dumps([1.5, None, "ü"]),
    "match": re.sub("a+", "b", "caat"),
}))
`;
