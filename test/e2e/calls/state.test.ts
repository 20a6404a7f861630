// Threat model: T58

// Tests that stop, restart or configure a daemon start their own; the others share one.

import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit, trust } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { storedState } from '../../support/stored-state.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { patientLimits } from '../support/waiter.ts';

const exec = ['python3'];
const path = 'os.environ["AMBIT_STATE"]';
const add = `kept = json.load(open(${path}))
kept["n"] = kept.get("n", 0) + given["by"]
with open(${path} + ".new", "w") as file: json.dump(kept, file)
os.rename(${path} + ".new", ${path})`;

const skills = {
  counter: pythonSkill(
    `${add}
if given.get("fail"): sys.exit("no")
print(kept["n"])`,
    { capabilities: { exec, state: 'write' } },
  ),
  reader: pythonSkill(`print(open(${path}).read())`, { capabilities: { exec, state: 'read' } }),
  spoiler: pythonSkill(`open(${path}, "w").write("n=1"); print(1)`, {
    capabilities: { exec, state: 'write' },
  }),
  recaller: pythonSkill('print(open(os.environ["AMBIT_MEMORY"]).read())', {
    capabilities: { exec, memory: 'read' },
  }),
  plain: pythonSkill('print(json.dumps([name for name in os.environ if name.startswith("AMBIT")]))'),
};

/** Counts like `counter`, in JavaScript. */
const tally = {
  'ambit.yaml': JSON.stringify({
    run: { runtime: 'wasm', entry: 'index.js', capabilities: { state: 'write' } },
  }),
  'index.js': `import { stateGet, stateSet } from 'ambit';
   export default ({ by }) => { const n = (stateGet('n') ?? 0) + by; stateSet('n', n); return n; };`,
};

/** A folder in which `setter` waits for the tests. */
let signals: string;

let config: object;

const daemon = sharedDaemon(async (path) => {
  signals = join(path, '../signals');
  await mkdir(signals);
  await chmod(signals, 0o777);
  await writeSkills(path, { ...skills, setter, forgetful: skills.recaller });
  config = {
    skills: [{ path, tier: 'local' }],
    grants: {
      setter: { filesystem: { read: [signals], write: [signals] } },
      recaller: { memory: 'read' },
    },
  };
  return config;
});

test('a program and a script keep state across a restart of the daemon, from successful runs only', async () => {
  const path = await temporaryFolder();
  await writeSkills(path, { ...skills, tally });
  const dataDir = join(await temporaryFolder(), 'data');
  const restarted = { skills: [{ path, tier: 'local' }] };
  const first = await startDaemon(restarted, { dataDir });
  const outputs = async (from: typeof first, ...inputs: object[]): Promise<unknown[]> => {
    const given: unknown[] = [];
    for (const input of inputs) {
      const { outcome } = (await from.execute('counter', { input })).body;
      given.push(outcome.output ?? outcome.status);
    }
    return given;
  };
  expect(await outputs(first, { by: 2 }, { by: 3 }, { by: 100, fail: true })).toEqual([2, 5, 'failed']);
  const tallied = async (from: typeof first, by: number) =>
    (await from.execute('tally', { input: { by } })).body.outcome.output;
  expect([await tallied(first, 2), await tallied(first, 3)]).toEqual([2, 5]);
  await first.stop();
  const second = await startDaemon(restarted, { dataDir });
  expect(await outputs(second, { by: 1 })).toEqual([6]);
  expect(await tallied(second, 1)).toBe(6);
  expect((await second.execute('reader', { input: {} })).body.outcome.output).toEqual({});
  const [record] = await second.audit('?skill=counter&limit=1');
  expect(record.capabilities).toMatchObject({
    requested: { state: 'write' },
    granted: { state: 'write' },
    denied: [],
  });
});

test('a state file that is not a JSON object is the outcome in the answer and the record', async () => {
  const { status, body } = await daemon().execute('spoiler', { input: {} });
  expect([status, body.outcome]).toEqual([
    200,
    {
      status: 'output-invalid',
      detail:
        'state not saved: the file that AMBIT_STATE names is not JSON; it begins with "n=1". Write one JSON object to it',
      stderr: '',
    },
  ]);
  expect(await daemon().audit('?limit=1')).toMatchObject([{ outcome: 'output-invalid', output: null }]);
});

test('while the store is locked, only calls that need it are refused, and no state is lost', async () => {
  const count = async () => (await daemon().execute('counter', { input: { by: 1 } })).body;
  expect((await count()).outcome.output).toBe(1);
  const saving = daemon().execute('setter', {
    input: { key: 'a', ready: join(signals, 'ready'), after: join(signals, 'go') },
  });
  await vi.waitUntil(() => existsSync(join(signals, 'ready')));
  const other = new DatabaseSync(join(daemon().dataDir, 'store.db'));
  other.exec('BEGIN IMMEDIATE');
  try {
    await writeFile(join(signals, 'go'), '');
    const refused = count();
    expect((await daemon().execute('plain', { input: {} })).status).toBe(200);
    const locked = 'store.db cannot be used: another process has locked it';
    expect((await saving).body).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      status: 503,
      detail: expect.stringMatching(`^the run succeeded, but its state was not saved .*${locked}`),
    });
    expect(await refused).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      detail: expect.stringMatching(`^counter did not run: its state cannot be read: .*${locked}`),
    });
    expect(await daemon().audit('?skill=counter&limit=1')).toMatchObject([
      { error: { code: 'STORE_UNAVAILABLE' } },
    ]);
  } finally {
    other.close();
  }
  expect((await count()).outcome.output).toBe(2);
  expect(await storedState(daemon().dataDir, 'setter')).toEqual({});
});

test('memory needs a grant, and the refusal has the line', async () => {
  const context = { memory: ['uses tabs', { text: 'likes tea' }] };
  const refused = await daemon().execute('forgetful', { input: {}, context });
  expect([refused.status, refused.body.code, refused.body.denials]).toEqual([
    403,
    'CAPABILITY_DENIED',
    [
      {
        capability: 'memory',
        requested: 'read',
        reason: expect.stringMatching(/./),
        remedy: 'grants: { forgetful: { memory: read } }',
      },
    ],
  ]);
  expect((await daemon().execute('plain', { input: {}, context })).body.outcome.output).toEqual([]);
  const recalled = await daemon().execute('recaller', { input: {}, context });
  expect(recalled.body.outcome.output).toEqual(['uses tabs', 'likes tea']);
});

/** Sets a key to true once its granted folder has the file that its input names. */
const setter = pythonSkill(
  `if "ready" in given: open(given["ready"], "w")
while not os.path.exists(given["after"]): time.sleep(0.01)
kept = json.load(open(${path})); kept[given["key"]] = True
with open(${path}, "w") as file: json.dump(kept, file)
print(1)`,
  {
    capabilities: { exec, state: 'write', filesystem: { read: ['granted'], write: ['granted'] } },
    limits: patientLimits,
  },
);

test("overlapping calls, also across a reload, lose none of each other's state", async () => {
  const set = async (key: string, after: string): Promise<unknown> =>
    (await daemon().execute('setter', { input: { key, after: join(signals, after) } })).body.outcome;
  await writeFile(join(signals, 'now'), '');
  const done = { status: 'succeeded', output: 1 };
  expect(await Promise.all(['a', 'b', 'c'].map((key) => set(key, 'now')))).toEqual([done, done, done]);
  const slow = set('slow', 'later');
  await vi.waitUntil(async () => (await daemon().audit('?limit=1'))[0].outcome === 'running');
  // The reload creates new executors while the old ones still run a call.
  await daemon().configure({ ...config, limits: { prewarm: 1 } });
  expect(await ambit(['config', 'reload', '--data-dir', daemon().dataDir])).toMatchObject({ code: 0 });
  expect(await set('quick', 'now')).toEqual(done);
  await writeFile(join(signals, 'later'), '');
  expect(await slow).toEqual(done);
  expect(await storedState(daemon().dataDir, 'setter')).toEqual({
    a: true,
    b: true,
    c: true,
    quick: true,
    slow: true,
  });
});

test('a program has its state and memory in a single command', async () => {
  const folder = await temporaryFolder();
  await writeSkills(join(folder, 'skills'), skills);
  const config = {
    skills: [{ path: './skills', tier: 'local' }],
    grants: { recaller: { memory: 'read' } },
  };
  await writeFile(join(folder, 'ambit.config.yaml'), JSON.stringify(config));
  await writeFile(join(folder, 'context.json'), JSON.stringify({ memory: ['uses tabs'] }));
  await trust(folder);
  const run = async (id: string, stdin: string, ...more: string[]): Promise<unknown> =>
    JSON.parse((await ambit(['run', id, '--input', '-', ...more], { cwd: folder, stdin })).stdout);
  expect([await run('counter', '{"by":4}'), await run('counter', '{"by":1}')]).toEqual([4, 5]);
  expect(await run('recaller', '{}', '--context', 'context.json')).toEqual(['uses tabs']);
  const spoilt = await ambit(['run', 'spoiler', '--input', '-'], { cwd: folder, stdin: '{}' });
  expect(spoilt.stderr).toContain('state not saved: the file that AMBIT_STATE names is not JSON');
});
