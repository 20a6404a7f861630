import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { publishedPlugin } from '../../support/wasm/published-plugin.ts';

const fixtures = join(repository, 'packages/runtime/src/wasm/testing/fixtures');

/** A `.js` skill and what it requests. */
function script(body: string, capabilities: object = {}): Record<string, string> {
  return {
    'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'index.js', capabilities } }),
    'index.js': body,
  };
}

const reads = `import { readFile } from 'ambit';
  export default ({ path }) => { try { return readFile(path); } catch { return 'caught'; } };`;
const sets = `import { stateSet } from 'ambit'; export default () => stateSet('k', 1) ?? 'kept';`;

/** A published plug-in without a function named run. */
const plugin = (more: object): Record<string, string | Uint8Array> => ({
  'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'plugin.wasm', ...more } }),
  'plugin.wasm': publishedPlugin(),
});
const text = { input: 'text', output: 'text' };

/** A folder that the skill `reader` may read. */
let readable: string;

const daemon = sharedDaemon(async (trusted) => {
  const strange = join(trusted, '../strange');
  readable = join(trusted, '../notes');
  await writeSkills(readable, { one: { 'note.txt': 'a note' } });
  await writeSkills(trusted, {
    reader: script(reads, { filesystem: { read: ['granted'] } }),
    asks: script(sets),
    has: script(sets, { state: 'write' }),
    wrong: plugin({ function: 'gret' }),
  });
  await writeSkills(strange, {
    words: {
      'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'echo.wasm' } }),
      'echo.wasm': await readFile(join(fixtures, 'echo.wasm')),
    },
    vowels: plugin({ function: 'count_vowels', input: 'text' }),
    greet: plugin({ function: 'greet', ...text }),
    remember: plugin({ function: 'remember', ...text }),
    silent: plugin({ function: 'silent', input: 'text' }),
    garble: plugin({ function: 'garble', ...text }),
    refuse: plugin({ function: 'refuse', ...text }),
  });
  return {
    skills: [
      { path: trusted, tier: 'local' },
      { path: strange, tier: 'untrusted' },
    ],
    grants: { reader: { filesystem: { read: [readable] } } },
  };
});

test('an attempt without a grant is the outcome of a script, and is recorded', async () => {
  const note = await daemon().execute('reader', { input: { path: join(readable, 'one/note.txt') } });
  expect(note.body.outcome).toEqual({ status: 'succeeded', output: 'a note' });
  const outside = await daemon().execute('reader', { input: { path: '/etc/hostname' } });
  expect(outside.body.outcome).toEqual({
    status: 'capability-violated',
    capability: 'filesystem.read',
    detail: 'read_file asks for /etc/hostname',
  });
  const denials = [
    {
      capability: 'filesystem.read',
      requested: '/etc/hostname',
      reason: 'is not granted',
      remedy: `grants: { reader: { filesystem: { read: [${readable}, /etc/hostname] } } }`,
    },
  ];
  expect(outside.body.denials).toEqual(denials);
  const [record] = await daemon().audit('?limit=1');
  expect({
    outcome: record.outcome,
    sandbox: record.sandbox,
    denied: record.capabilities.denied,
  }).toEqual({ outcome: 'capability-violated', sandbox: 'bubblewrap', denied: denials });
});

test('a denial says whether the sidecar did not request it or the caller narrowed it', async () => {
  const asks = await daemon().execute('asks', { input: {} });
  expect(asks.body.denials).toEqual([
    {
      capability: 'state',
      requested: 'write',
      reason: 'is not requested in its ambit.yaml',
      remedy:
        'request it in its ambit.yaml, run.capabilities.state; if its tier does not include it, also add to ambit.config.yaml: grants: { asks: { state: write } }',
    },
  ]);
  expect((await daemon().execute('has', { input: {} })).body.outcome.output).toBe('kept');
  const less = await daemon().execute('has', { input: {}, capabilities: { state: 'none' } });
  expect(less.body.denials).toMatchObject([
    { capability: 'state', requested: 'write', reason: 'may have been left out by the caller' },
  ]);
});

test('a program compiled for WASI runs, with its fuel and memory in the answer', async () => {
  const { body } = await daemon().execute('words', { input: { any: ['thing', 1] } });
  expect(body.outcome).toEqual({ status: 'succeeded', output: { any: ['thing', 1] } });
  const again = await daemon().execute('words', { input: { any: ['thing', 1] } });
  expect(again.body.usage.fuelConsumed).toBe(body.usage.fuelConsumed);
  expect(body.usage.fuelConsumed).toBeGreaterThan(0);
  expect(body.usage.memoryPeakBytes % 65_536).toBe(0);
});

describe('a published plug-in without a function named run', () => {
  test('answers with the function that its sidecar names: JSON, text or nothing', async () => {
    const outcomeOf = async (name: string, input: string): Promise<unknown> =>
      (await daemon().execute(name, { input })).body.outcome;
    expect({
      vowels: await outcomeOf('vowels', 'Hello, World!'),
      greet: await outcomeOf('greet', '"Ada" ü'),
      remember: await outcomeOf('remember', 'this'),
      silent: await outcomeOf('silent', ''),
      garble: await outcomeOf('garble', ''),
      refuse: await outcomeOf('refuse', 'not today'),
    }).toEqual({
      vowels: { status: 'succeeded', output: { count: 3, vowels: 'aeiouAEIOU' } },
      greet: { status: 'succeeded', output: 'Hello, "Ada" ü!' },
      remember: { status: 'succeeded', output: '' },
      silent: { status: 'succeeded', output: null },
      garble: { status: 'output-invalid', detail: "the skill's output is not UTF-8", stderr: '' },
      refuse: { status: 'failed', failure: { trap: 'not today' }, stderr: '' },
    });
    const noText = await daemon().execute('greet', { input: { name: 'Ada' } });
    expect({ status: noText.status, code: noText.body.code }).toEqual({ status: 422, code: 'INPUT_INVALID' });
  });

  test('without a function name, or with an unknown one, is refused with the available names by run and validate', async () => {
    const folder = await temporaryFolder();
    await writeSkills(folder, {
      unnamed: plugin({}),
      wrong: plugin({ function: 'gret' }),
      right: plugin({ function: 'greet' }),
    });
    const listed = 'it exports count_vowels, greet, remember, silent, garble, refuse';
    const refused = await daemon().execute('wrong', { input: {} });
    expect({ status: refused.status, code: refused.body.code, detail: refused.body.detail }).toEqual({
      status: 422,
      code: 'SKILL_INVALID',
      detail: `wrong: entry plugin.wasm does not export gret; ${listed}; name one with run.function in its ambit.yaml`,
    });
    const unchecked = 'run.input: without a schema callers cannot know what to send, and no input is checked';
    const validated = async (...names: string[]): Promise<object> => {
      const folders = names.map((name) => join(folder, name));
      const { code, stdout } = await ambit(['skills', 'validate', ...folders], { cwd: folder });
      return { code, says: [...stdout.matchAll(/run\.\w+: .*/g)].map(([line]) => line) };
    };
    expect([await validated('unnamed', 'wrong'), await validated('right')]).toEqual([
      {
        code: 3,
        says: [
          `run.entry: plugin.wasm does not export run; ${listed}: name one of them with run.function`,
          unchecked,
          `run.function: plugin.wasm does not export gret; ${listed}: did you mean greet?`,
          unchecked,
        ],
      },
      { code: 0, says: [unchecked] },
    ]);
  });
});
