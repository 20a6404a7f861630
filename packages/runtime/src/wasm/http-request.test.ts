import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunResult } from '@ambit/core/execute';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { egress } from '../egress/egress.ts';
import { bubblewrapSandbox } from '../process/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { secretSource } from '../secrets/secret-source.ts';
import { noState } from '../testing/no-state.ts';
import { grantedSkill } from '../testing/skill-on-disk.ts';
import { pluginOf, withText } from './testing/module-of.ts';
import { wasmExecutor } from './wasm-executor.ts';

const sandbox = bubblewrapSandbox();
const network = egress(secretSource({}, {}));
const executor = wasmExecutor({ sandbox, state: noState, hosts: 1, egress: network });
const server = createServer((request, response) =>
  response.end(JSON.stringify(`${request.method} ${request.url}`)),
);
let port = 0;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  server.close();
  await executor.close?.();
  await network.close();
  await sandbox.close?.();
});

/** A plug-in that returns the result of Extism's own `http_request`. */
async function requested(rules: readonly string[]): Promise<RunResult> {
  const { fields, block } = withText(`{"url":"http://127.0.0.1:${port}/page","method":"GET"}`);
  const imports = `
    (import "extism:host/env" "http_request" (func $http_request (param i64 i64) (result i64)))
    (import "extism:host/env" "length" (func $length (param i64) (result i64)))`;
  const body = `(local.set $here (call $http_request ${block} (i64.const 0)))
    (call $output_set (local.get $here) (call $length (local.get $here))) (i32.const 0)`;
  const capabilities = { network: rules };
  const grant = await grantedSkill(
    { runtime: 'wasm', entry: 'skill.wasm', capabilities },
    { 'skill.wasm': pluginOf(body, `${imports} ${fields}`) },
    { operator: capabilities },
  );
  return executor.execute(grant, { protocol: 'json', value: {} }, new AbortController().signal);
}

test("Extism's own http_request reaches only granted hosts", async () => {
  const granted = await requested([`http://127.0.0.1:${port}`]);
  expect(granted.outcome).toEqual({ status: 'succeeded', output: 'GET /page' });
  expect(granted.connections).toMatchObject([
    { host: '127.0.0.1', port, path: '/page', decision: 'allowed' },
  ]);
  const elsewhere = await requested(['http://127.0.0.1:1']);
  expect(elsewhere.outcome).toMatchObject({
    status: 'failed',
    failure: { trap: expect.stringContaining('is not granted to this skill') },
  });
  expect(elsewhere.denials).toMatchObject([{ capability: 'network', requested: `127.0.0.1:${port}` }]);
});
