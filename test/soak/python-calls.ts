// Makes ten thousand calls of Python in WebAssembly, of skills that leave marks wherever they can and
// look for marks of other calls, and a thousand calls of one script with one input, which must use the
// same fuel. Afterwards nothing may have leaked, here or in the hosts. Otherwise exits with 1.
//
//   npm run test:all -- soak-python
//   npm run test:all -- soak-python --calls 1000 --runs 100

import type { Grant, RunResult } from '../../packages/core/src/execute.ts';
import { bubblewrapSandbox, wasmExecutor } from '../../packages/runtime/src/index.ts';
import { noState } from '../../packages/runtime/src/testing/no-state.ts';
import { grantedSkill } from '../contract/support/granted-skill.ts';
import { hostMebibytes } from './host-mebibytes.ts';
import { allSound, inFolder, noneWrong, optionsOf } from './soak.ts';

const values = optionsOf({ calls: '10000', runs: '1000' });
const [calls, runs] = [Number(values.calls), Number(values.runs)];
const warmUp = Math.min(300, calls);
const hostsMax = 2;
const growthMax = 1.3;
const parts = 10;
const marker = '/ambit/host/main.mjs';

/** Prints the marks that it finds, and leaves a mark with its input in every place that lasts. */
const marking = `import builtins, gc, hashlib, json, os, pathlib, random, sys, tempfile

given = json.load(sys.stdin)
found = [
    hasattr(builtins, "mark"), "MARK" in os.environ, "mark" in sys.modules, hasattr(json, "mark"),
    os.path.exists("/tmp/mark"), json.dumps(1) != "1", len(os.listdir("/tmp")) > 0, hasattr(sys, "mark"),
    any(getattr(each, "mark", None) for each in (hashlib, pathlib, tempfile)), os.getcwd() != "/tmp",
]
builtins.mark = sys.mark = json.mark = hashlib.mark = pathlib.mark = tempfile.mark = given
os.environ["MARK"] = "x"
sys.modules["mark"] = json
pathlib.Path("/tmp/mark").write_text(str(given))
json.dumps = lambda value: "poisoned"
tempfile.mkdtemp(dir="/tmp")
os.chdir("/skill")
sys.setrecursionlimit(200)
gc.disable()
random.seed(1)
sys.stdout.write(str(any(found)).lower())
`;
const working = `import argparse, collections, csv, io, json, re, sys

given = json.load(sys.stdin)
rows = list(csv.DictReader(io.StringIO("name,count\\n" + "\\n".join(f"n{i},{i * given % 97}" for i in range(200)))))
counts = collections.Counter(re.sub(r"\\d", "", row["name"]) for row in rows)
print(json.dumps([sum(int(row["count"]) for row in rows), counts]))
`;
const ending = [
  'import os\nos._exit(3)\n',
  'x = []\nwhile True: x.append(bytes(1 << 20))\n',
  'exec((lambda: 0).__code__.replace(co_code=bytes([1, 0] * 1000), co_stacksize=0))\n',
  'while True: print("x" * 100000)\n',
  'raise SystemExit("stop")\n',
];

await inFolder('soak', soak);

async function soak(folder: string): Promise<boolean> {
  const sandbox = bubblewrapSandbox();
  const executor = wasmExecutor({ sandbox, state: noState, hosts: hostsMax, hostsMax });
  const skill = (script: string): Promise<Grant> =>
    grantedSkill(folder, { runtime: 'wasm', entry: 'run.py' }, { 'run.py': script });
  const call = (grant: Grant, value: number): Promise<RunResult> =>
    executor.execute(grant, { protocol: 'json', value }, new AbortController().signal);

  const marks = [await skill(marking), await skill(`${marking}# another skill\n`)];
  const work = await skill(working);
  const ends = await Promise.all(ending.map(skill));
  const wrong: string[] = [];
  const expect = (name: string, { outcome }: RunResult, isExpected: boolean): void => {
    if (!isExpected) wrong.push(`${name}: ${JSON.stringify(outcome).slice(0, 300)}`);
  };
  const once = async (index: number): Promise<void> => {
    if (index % 100 === 99) {
      const ended = await call(ends[Math.floor(index / 100) % ends.length] as Grant, index);
      expect('a call that ends', ended, ended.outcome.status !== 'succeeded');
    } else if (index % 3 === 2) {
      const worked = await call(work, index);
      expect('a call that works', worked, worked.outcome.status === 'succeeded');
    } else {
      const marked = await call(marks[index % 2] as Grant, index);
      expect(
        'a call that looks for marks',
        marked,
        marked.outcome.status === 'succeeded' && marked.outcome.output === false,
      );
    }
  };
  let next = 0;
  const many = async (count: number): Promise<void> => {
    const until = next + count;
    const lane = async (): Promise<void> => {
      while (next < until) await once(next++);
    };
    await Promise.all(Array.from({ length: hostsMax }, lane));
  };

  await many(warmUp);
  // Hosts free the memory of ended calls only now and then, so a single figure says little.
  const mebibytes: number[] = [];
  for (let part = 1; part <= parts; part++) {
    await many(calls / parts);
    mebibytes.push(hostMebibytes(marker));
    console.log(
      `${String(next).padStart(7)} calls, hosts ${mebibytes.at(-1)?.toFixed(0)} MiB, ${wrong.length} wrong`,
    );
  }
  const [before, after] = [Math.max(...mebibytes.slice(0, 3)), Math.max(...mebibytes.slice(-3))];
  const fuel = new Set<number | null>();
  for (let run = 0; run < runs; run++) fuel.add((await call(work, 7)).usage.fuelConsumed);
  await executor.close?.();
  await sandbox.close?.();

  const checks: [string, boolean, string][] = [
    ['outcomes', wrong.length === 0, `${wrong.length} wrong of ${next}`],
    ['hosts', after <= growthMax * before, `${before.toFixed(0)} → ${after.toFixed(0)} MiB`],
    [`fuel of ${runs} runs`, fuel.size === 1, [...fuel].join(', ')],
  ];
  noneWrong(wrong);
  return allSound(checks);
}
