import { chmod, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { isWhole } from '../../../../../test/support/whole.ts';
import { grantedSkill } from '../../testing/skill-on-disk.ts';
import { processExecutor } from '../process-executor.ts';
import { bubblewrapSandbox } from '../sandbox/bubblewrap/bubblewrap-sandbox.ts';

const sandbox = bubblewrapSandbox();
const cold = processExecutor({ sandbox, environment: {} });
const warm = processExecutor({ sandbox, environment: {}, prewarmMax: 8 });
afterAll(async () => {
  await warm.close?.();
  await sandbox.close?.();
});

/** Runs a script in both ways. It waits for its input, and its stdout is the file `stdout`. */
async function inBothWays(script: string): Promise<[cold: unknown, prewarmed: unknown]> {
  const folder = await temporaryFolder();
  // Root's skills run as another user.
  await chmod(folder, 0o777);
  const start = `import os, sys; sys.stdin.read(); os.chdir(${JSON.stringify(folder)}); os.dup2(os.open("stdout", os.O_CREAT | os.O_WRONLY), 1)\n`;
  const grant = await grantedSkill(
    {
      runtime: 'process',
      entry: 'scripts/run.py',
      prewarm: 1,
      capabilities: { exec: ['python3', 'sleep'], filesystem: { write: [folder] } },
    },
    { 'scripts/run.py': `#!/usr/bin/env python3\n${start}${script}` },
    { operator: { filesystem: { write: [folder] } } },
  );
  const runIn = async (executor: typeof cold): Promise<{ used: string; seen: unknown }> => {
    const { outcome, sandbox: used } = await executor.execute(
      grant,
      { protocol: 'json', value: {} },
      new AbortController().signal,
    );
    const names = await readdir(folder);
    const files = names.map(async (name) => [name, (await readFile(join(folder, name))).toString('latin1')]);
    const seen = JSON.stringify([outcome, Object.fromEntries(await Promise.all(files))]);
    for (const name of names) await rm(join(folder, name), { recursive: true });
    return { used, seen: seen.replaceAll(/0x[0-9a-f]+/g, 'ADDRESS') };
  };
  await warm.prewarm?.(grant);
  const ready = await runIn(warm);
  expect(ready.used).toBe('bubblewrap, prewarmed');
  return [(await runIn(cold)).seen, ready.seen];
}

const withDel = 'class A:\n def __del__(self): print("freed")\n';

const cases: readonly [name: string, script: string][] = [
  ['it ends', 'print(1)'],
  ['it exits with 3', 'print(1); sys.exit(3)'],
  ['it exits without a code', 'print(1); sys.exit()'],
  ['it exits with a message', 'sys.exit("a message")'],
  ['it exits with True', 'sys.exit(True)'],
  ['it exits with -1', 'sys.exit(-1)'],
  ['it exits with 256', 'sys.exit(256)'],
  ['it exits with a list', 'sys.exit([1])'],
  ['it raises an exception', 'def f(): raise ValueError("x")\nf()'],
  ['it raises from another exception', 'try:\n 1/0\nexcept Exception as e:\n raise ValueError("x") from e'],
  ['it raises KeyboardInterrupt', 'raise KeyboardInterrupt'],
  ['it ends itself by a signal', 'os.kill(os.getpid(), 15)'],
  ['it compiles invalid code', 'exec("x = = 1")'],
  ['it has a hook for exceptions', 'sys.excepthook = lambda *a: print(a[0], a[2].tb_next)\n1/0'],
  ['its hook for exceptions exits', 'sys.excepthook = lambda *a: sys.exit(9)\n1/0'],
  ['it registers a function for its exit', 'import atexit\natexit.register(print, "bye")\nprint("x")'],
  [
    'such a function writes directly',
    'import atexit\natexit.register(os.write, 1, b"direct")\nprint("x"); sys.exit(2)',
  ],
  ['such a function raises', 'import atexit\natexit.register(lambda: 1/0)\nprint("x")'],
  ['such a function leaves a finalizer', `import atexit\n${withDel}atexit.register(lambda a: 0, A())`],
  ['a file is not closed', 'f = open("out", "w"); f.write("text")'],
  [
    'a file in a cycle is not closed',
    `class A: pass\na = A(); a.a = a; a.f = open("out", "w"); a.f.write("x")`,
  ],
  ['an archive is not closed', 'import gzip\nz = gzip.GzipFile("z", "w", mtime=0); z.write(b"a")'],
  [
    'a file is rewritten halfway',
    'import fileinput\nopen("a", "w").write("1\\n")\nfor line in fileinput.input("a", inplace=True): print("2"); break',
  ],
  [
    'a transaction is open',
    'import sqlite3\nc = sqlite3.connect("db"); c.execute("create table t (x)"); c.execute("insert into t values (1)")',
  ],
  ['an object has a finalizer', `${withDel}a = A()`],
  ['a finalizer is in a list', `${withDel}a = [A()]; a.append(a)`],
  ['a finalizer has no attributes', 'class A:\n __slots__ = ()\n def __del__(self): print("freed")\na = A()'],
  ['a finalizer is freed by its exit', `${withDel}def f():\n a = A(); sys.exit(1)\nf()`],
  [
    'a finalizer raises',
    'sys.unraisablehook = lambda u: print(u.exc_type)\nclass A:\n def __del__(self): 1/0\na = A()',
  ],
  [
    'a class has a finalizer',
    'class M(type):\n def __del__(self): print("freed")\nclass A(metaclass=M): pass',
  ],
  ['a generator waits', 'def g():\n try: yield\n finally: print("end")\nx = g(); next(x)'],
  ['a coroutine was not awaited', 'async def f(): pass\nx = f()'],
  ['a weak reference has a callback', 'import weakref\nclass A: pass\na = A(); r = weakref.ref(a, print)'],
  ['weakref.finalize is used', 'import weakref\nclass A: pass\na = A(); weakref.finalize(a, print, "gone")'],
  ['a temporary folder remains', 'import tempfile\nd = tempfile.TemporaryDirectory(dir=".")'],
  [
    'a thread runs',
    'import threading, time\nthreading.Thread(target=lambda: (time.sleep(.1), print("thread"))).start()\nprint("main")',
  ],
  [
    'a daemon thread runs',
    'import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\nprint("main")',
  ],
  ['a thread exits', 'import threading\nthreading.Thread(target=sys.exit, args=(4,)).start()\nsys.exit(2)'],
  [
    'a pool of threads was used',
    'from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit(print, "in a pool")',
  ],
  [
    'another process was used',
    'from multiprocessing import Process\np = Process(target=print, args=("child",)); p.start(); p.join()',
  ],
  [
    'it forks',
    'if os.fork() == 0:\n print("child"); sys.exit(7)\nprint(os.waitstatus_to_exitcode(os.wait()[1]))',
  ],
  ['a child still runs', 'import subprocess\np = subprocess.Popen(["sleep", "0.1"]); print("x")'],
  ['stdout is closed', 'print("x"); sys.stdout.close()'],
  ['stdout is another file', 'sys.stdout = open("out", "w"); print("x")'],
  ['stdout is None', 'sys.stdout = None'],
  ['the descriptor of stdout is closed', 'print("x"); os.close(1)'],
  ['stdout is full', 'os.dup2(os.open("/dev/full", os.O_WRONLY), 1); print("x"); sys.exit(3)'],
  ['stderr is closed', 'sys.stderr.write("x"); os.close(2)'],
  ['the log goes to a file', 'import logging\nlogging.basicConfig(filename="log"); logging.error("x")'],
  ['asyncio fails', 'import asyncio\nasync def f(): 1/0\nasyncio.run(f())'],
  [
    'it looks at itself',
    'import inspect\ndef f(): pass\nprint(sorted(globals()), __name__, __file__, __spec__, __loader__.path, sys.argv, sys.path[0], sys.orig_argv, inspect.getsource(f))',
  ],
  ['it warns', 'import warnings\nwarnings.warn("x", DeprecationWarning)'],
  [
    'it pickles its classes',
    'import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)',
  ],
];

test.each(cases.filter((_, at) => isWhole || at % 5 === 0))(
  'a Python script has the same outcome, output and files whether it is prewarmed or not: %s',
  async (_, script) => {
    const [ordinary, prewarmed] = await inBothWays(script);
    expect(prewarmed).toBe(ordinary);
  },
);

test('a prewarmed Python script ends without freeing what is left, unless something has a finalizer', async () => {
  const hook =
    'sys.addaudithook(lambda event, _, write=os.write: event == "cpython.PyInterpreterState_Clear" and write(1, b"cleared"))\n';
  const [ordinary, prewarmed] = await inBothWays(`${hook}print(1)`);
  expect([ordinary, prewarmed]).toEqual([
    expect.stringContaining('"1\\ncleared"'),
    expect.stringContaining('"1\\n"'),
  ]);
  const [, finalized] = await inBothWays(`${hook}f = open("out", "w")\nprint(1)`);
  expect(finalized).toContain('"1\\ncleared"');
});
