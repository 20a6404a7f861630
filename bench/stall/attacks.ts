import { request } from 'node:http';
import type { Daemon } from '../../test/support/daemon-process.ts';
import { pythonSkill } from '../../test/support/skills.ts';
import { command } from '../../test/support/wasm/command.ts';

/** A way to keep a daemon busy within its limits. */
export interface Attack {
  name: string;
  /** Resolves to the outcomes when the daemon has answered every call. */
  run(daemon: Daemon): Promise<readonly string[]>;
}

type Files = Readonly<Record<string, string | Uint8Array>>;

const concurrency = 8;
const limits = { outputBytes: 16 * 1024 * 1024 };

/** Skills from an untrusted source. */
export const untrusted: Readonly<Record<string, Files>> = {
  'wasm-flood': writesObjects(5_500_000),
  'wasm-legal': writesObjects(230_000),
  'wasm-asks': script(
    `const many = Array.from({ length: 150000 }, () => 0);
     for (let time = 0; time < 50; time++) try { recallMemory('a', many); } catch {}`,
  ),
  'wasm-reads': script(`for (let time = 0; time < 50; time++) readFile('large');`, {
    large: Buffer.alloc(400_000, 1),
  }),
};

/** Programs that the operator trusts. */
export const local: Readonly<Record<string, Files>> = {
  takes: pythonSkill('print(len(given))'),
  flood: pythonWriting('"[" + "{},"*5500000 + "{}]"'),
  values: pythonWriting('"[" + ",".join(\'{"k%d":1}\' % n for n in range(124000)) + "]"'),
  text: pythonWriting('chr(34) + (chr(92) + chr(34)) * 8000000 + chr(34)'),
  progress: pythonSkill('sys.stderr.write("::progress 1/2 words\\n" * 750000); print(1)', { limits }),
  control: {
    'ambit.yaml': JSON.stringify({
      run: {
        runtime: 'process',
        protocol: 'command',
        entry: 'scripts/run.py',
        limits,
        capabilities: { exec: ['python3'] },
      },
    }),
    'scripts/run.py': '#!/usr/bin/env python3\nimport sys\nsys.stdout.write(chr(1) * 16000000)\n',
  },
  leaves: {
    'ambit.yaml': JSON.stringify({
      run: {
        runtime: 'process',
        entry: 'scripts/run.py',
        limits,
        capabilities: { exec: ['python3'], filesystem: { write: ['workspace'] } },
      },
    }),
    'scripts/run.py': '#!/usr/bin/env python3\nopen("large", "w").write(chr(34) * 16000000)\nprint(1)\n',
  },
};

const empty = '{"input":[]}';
const objects = `{"input":[${'{},'.repeat(249_990)}{}]}`;
const shapes = `{"input":[${Array.from({ length: 120_000 }, (_, index) => `{"k${index}":1}`).join(',')}]}`;
const text = `{"input":"${'a'.repeat(8_000_000)}"}`;

export const attacks: readonly Attack[] = [
  calls('eight calls that write almost nothing', 'takes', concurrency, empty),
  calls('untrusted WASM writes 16 MB of [{},…]', 'wasm-flood', 1, empty),
  calls('the same, eight concurrent', 'wasm-flood', concurrency, empty),
  calls('eight of them write 230,000 objects each', 'wasm-legal', concurrency, empty),
  calls('eight scripts pass 150,000 values', 'wasm-asks', concurrency, empty),
  calls('eight scripts read a file of U+0001', 'wasm-reads', concurrency, empty),
  calls('eight programs write 16 MB of [{},…]', 'flood', concurrency, empty),
  calls('eight write 248,000 objects with distinct keys', 'values', concurrency, empty),
  calls('eight write a string of 16 MB', 'text', concurrency, empty),
  calls('eight commands write 16 MB of U+0001', 'control', concurrency, '{}'),
  calls('eight write 16 MB of progress lines', 'progress', concurrency, empty),
  calls('eight leave a file of 16 MB', 'leaves', concurrency, empty),
  calls('eight inputs of 250,000 objects', 'takes', concurrency, objects),
  calls('eight inputs of 240,000 values, distinct keys', 'takes', concurrency, shapes),
  calls('eight inputs of one string of 8 MB', 'takes', concurrency, text),
];

function calls(name: string, skill: string, count: number, body: string): Attack {
  return {
    name,
    run: (daemon) => Promise.all(Array.from({ length: count }, () => ended(daemon, skill, body))),
  };
}

/** The start of an answer shows the outcome of the call; the rest is dropped. */
function ended({ url, key }: Daemon, skill: string, body: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const address = `${url}/skills/${skill}/execute`;
  const asked = request(address, { method: 'POST', headers, agent: false }, (answer) => {
    let head = '';
    answer.on('data', (chunk: Buffer) => {
      if (head.length < 400) head += chunk.toString('latin1', 0, 400);
    });
    answer.on('end', () => resolve(/"(?:status|code)":"([A-Za-z_-]+)"/.exec(head)?.[1] ?? head));
  });
  asked.on('error', reject).end(body);
  return promise;
}

/** Writes a list of `count` empty objects plus one. */
function writesObjects(count: number): Files {
  const part = '{},'.repeat(20_000);
  const body = `
    (call $print (i32.const 1) (i32.const 60001) (i32.const 1))
    (loop $next
      (call $print (i32.const 1) (i32.const 0) (i32.const 60000))
      (br_if $next (i32.lt_u
        (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const ${Math.floor(count / 20_000)}))))
    (call $print (i32.const 1) (i32.const 60002) (i32.const 3))`;
  return {
    'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'skill.wasm', limits } }),
    'skill.wasm': command(body, `${part} [{}]`),
  };
}

function script(body: string, files: Files = {}): Files {
  return {
    'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'skill.js' } }),
    'skill.js': `import { readFile, recallMemory } from 'ambit'; export default () => { ${body} return 1; };`,
    ...files,
  };
}

function pythonWriting(expression: string): Files {
  return pythonSkill(`sys.stdout.write(${expression})`, { limits });
}
