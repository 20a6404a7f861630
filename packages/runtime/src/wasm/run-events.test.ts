import type { RunEvent, RunResult } from '@ambit/core/execute';
import { afterAll, expect, test } from 'vitest';
import { egress } from '../egress/egress.ts';
import { bubblewrapSandbox } from '../process/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { noState } from '../testing/no-state.ts';
import { grantedSkill } from '../testing/skill-on-disk.ts';
import { commandOf, dataAt, pluginOf, withText } from './testing/module-of.ts';
import { wasmExecutor } from './wasm-executor.ts';

const secret = 'open-sesame-öffne-dich';
const hosts = ['api.example.com:443'];
const sandbox = bubblewrapSandbox();
const network = egress(async () => secret);
const executor = wasmExecutor({ sandbox, state: noState, egress: network, hosts: 1 });
afterAll(async () => {
  await executor.close?.();
  await network.close();
  await sandbox.close?.();
});

async function watched(
  entry: string,
  content: string | Uint8Array,
  { capabilities = {}, value = {} }: { capabilities?: object; value?: unknown } = {},
): Promise<{ told: RunEvent[]; execution: RunResult }> {
  const run = { runtime: 'wasm', entry, capabilities };
  const grant = await grantedSkill(run, { [entry]: content }, { operator: capabilities });
  const told: RunEvent[] = [];
  const execution = await executor.execute(
    grant,
    { protocol: 'json', value },
    new AbortController().signal,
    (event) => told.push(event),
  );
  return { told, execution };
}

const json = '{"done":40,"total":100,"message":"words"}';
const { fields, block } = withText(json);
const asked = '(import "extism:host/user" "progress" (func $progress (param i64) (result i64)))';
const length = '(import "extism:host/env" "length" (func $length (param i64) (result i64)))';

test.each<[string, string, string | Uint8Array]>([
  [
    'a script',
    'index.js',
    `import { progress } from 'ambit';
     export default () => { progress(40, 100, 'words'); return { value: null }; };`,
  ],
  [
    'a plug-in',
    'skill.wasm',
    pluginOf(
      `(local.set $here (call $progress ${block}))
       (call $output_set (local.get $here) (call $length (local.get $here))) (i32.const 0)`,
      `${asked} ${length} ${fields}`,
    ),
  ],
  [
    'a WASI command',
    'skill.wasm',
    commandOf(
      `(drop (call $invoke (i32.const 0) (i32.const 8) (i32.const 8) (i32.const ${json.length + 2})))
       (call $print (i32.const 1) (i32.const 512) (i32.const 14))`,
      `(memory (export "memory") 1) ${dataAt(0, 'progress')} ${dataAt(8, `[${json}]`)} ${dataAt(512, '{"value":null}')}`,
    ),
  ],
])('%s reports progress through a host function without adding to its log', async (_, entry, content) => {
  const { told, execution } = await watched(entry, content);
  expect(execution.outcome).toEqual({ status: 'succeeded', output: { value: null } });
  expect(told).toEqual([{ kind: 'progress', done: 40, total: 100, message: 'words' }]);
  expect(execution.log).toBe('');
});

test('a secret is redacted in the log, in progress and in the output', async () => {
  const script = `import { log, progress } from 'ambit';
    export default ([one, two]) => { progress(1, 2, one + two); log('a', one + two, 'b'); return one + two; };`;
  const { told, execution } = await watched('index.js', script, {
    capabilities: { network: hosts, secrets: [{ name: 'API_TOKEN', hosts }] },
    value: [secret.slice(0, 9), secret.slice(9)],
  });
  const redacted = '*'.repeat(Buffer.from(secret).length);
  // Whether both arrive together, log first, or one after the other, depends on the clock.
  const sorted = told.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  expect({ told: sorted, log: execution.log, outcome: execution.outcome }).toEqual({
    told: [
      { kind: 'log', text: `a ${redacted} b\n` },
      { kind: 'progress', done: 1, total: 2, message: redacted },
    ],
    log: `a ${redacted} b\n`,
    outcome: { status: 'succeeded', output: redacted },
  });
});
