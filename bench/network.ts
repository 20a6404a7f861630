import { once } from 'node:events';
import { request as send } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net';
import { connect as secured } from 'node:tls';
import type { Grant, SkillExecutor } from '../packages/core/src/execute.ts';
import { outside } from '../packages/runtime/src/egress/testing/test-authority.ts';
import {
  bubblewrapSandbox,
  type CallProxy,
  type EgressProxy,
  egress,
  egressProxy,
  processExecutor,
  secretSource,
  wasmExecutor,
} from '../packages/runtime/src/index.ts';
import { noState } from '../packages/runtime/src/testing/no-state.ts';
import { grantedSkill } from '../test/contract/support/granted-skill.ts';
import { webServer } from '../test/security/support/egress/servers.ts';
import { type Contender, compare, formatTable, verdict } from './compare.ts';
import { type SandboxRuntimeProxy, sandboxRuntimeProxy } from './sandbox-runtime.ts';
import { succeeds } from './succeeds.ts';

const targets = { addedMs: 3, overWithout: 1.6 };
const address = '127.0.0.1';

/** Measures what the proxy adds to a request, and what a network grant adds to a call. */
export async function networkBench(folder: string, rounds: number): Promise<void> {
  await requestBench(rounds);
  await callBench(folder, rounds);
}

/** Each request opens its own connection, like most skills that send one request. */
async function requestBench(rounds: number): Promise<void> {
  const authority = await outside;
  const server = await webServer({ secure: true, handler: (_, response) => void response.end('hello') });
  const { port } = server;
  const egress = await egressProxy({ authorities: [authority.certificate] });
  const unopened = callProxyOf(egress, [`${address}:${port}`]);
  const opened = callProxyOf(egress, [{ host: `${address}:${port}`, methods: ['GET'] }]);
  const proxies = { unopened: await proxyTo(unopened), opened: await proxyTo(opened) };
  const portOf = (proxy: Server): number => (proxy.address() as AddressInfo).port;
  const runtime = await sandboxRuntimeProxy(address);
  const contenders: Contender[] = [
    { name: 'direct', run: async () => got(connect(port, address), port, authority.certificate) },
    {
      name: 'through the proxy, passed through',
      run: async () => got(await tunnel(portOf(proxies.unopened), port), port, authority.certificate),
    },
    {
      name: 'through the proxy, TLS terminated',
      run: async () => got(await tunnel(portOf(proxies.opened), port), port, egress.authority),
    },
    { name: 'http_request, kept alive', run: () => requestThrough(opened, `https://${address}:${port}/`) },
    ...runtimeContender(runtime, port, authority.certificate),
  ];
  try {
    if ('missing' in runtime) console.log(`sandbox-runtime's proxy is omitted: ${runtime.missing}\n`);
    const timings = await compare(contenders, rounds);
    console.log(`${formatTable('An HTTPS request on its own connection', timings)}\n`);
    for (const { name, medianMs } of timings.slice(1)) {
      const added = medianMs - (timings[0]?.medianMs ?? Number.NaN);
      if (name.startsWith('through the proxy'))
        verdict(
          added <= targets.addedMs,
          `adds at most ${targets.addedMs} ms, ${name}: ${added.toFixed(2)} ms`,
        );
    }
    console.log('');
  } finally {
    for (const each of [server, ...Object.values(proxies)]) each.close();
    await egress.close();
    if ('close' in runtime) await runtime.close();
  }
}

function runtimeContender(runtime: SandboxRuntimeProxy, port: number, ca: string): Contender[] {
  if ('missing' in runtime) return [];
  const { port: proxy, authorization } = runtime;
  return [
    {
      name: "through sandbox-runtime's proxy",
      run: async () => got(await tunnel(proxy, port, { 'Proxy-Authorization': authorization }), port, ca),
    },
  ];
}

const kinds = [
  {
    title: 'A Python skill without requests',
    entry: 'scripts/run.py',
    run: { runtime: 'process', entry: 'scripts/run.py' },
    exec: ['python3'],
    content:
      '#!/usr/bin/env python3\nimport json, sys\nprint(json.dumps(json.load(sys.stdin), separators=(",", ":")), end="")\n',
  },
  {
    title: 'A shell skill without requests',
    entry: 'scripts/run.sh',
    run: { runtime: 'process', entry: 'scripts/run.sh' },
    exec: ['sh', 'cat'],
    content: '#!/bin/sh\nexec cat\n',
  },
  {
    title: 'A script without requests',
    entry: 'index.js',
    run: { runtime: 'wasm', entry: 'index.js' },
    exec: [],
    content: 'export default (input) => input;\n',
  },
] as const;

/** The same skill with a network grant that it does not use, and without one. */
async function callBench(folder: string, rounds: number): Promise<void> {
  const sandbox = bubblewrapSandbox();
  const network = egress(secretSource({}, {}));
  const executors = {
    process: processExecutor({ sandbox, environment: {}, egress: network }),
    wasm: wasmExecutor({ sandbox, state: noState, egress: network, hosts: 1 }),
  };
  try {
    for (const { title, entry, run, exec, content } of kinds) {
      const grantOf = (rules: readonly string[]): Promise<Grant> =>
        grantedSkill(
          folder,
          { ...run, capabilities: { exec, network: rules } },
          { [entry]: content },
          { network: rules },
        );
      const executor: SkillExecutor = executors[run.runtime];
      const [without, granted] = [await grantOf([]), await grantOf(['api.example'])];
      const timings = await compare(
        [
          { name: 'without a network', run: () => succeeds(executor, without) },
          { name: 'with a network', run: () => succeeds(executor, granted) },
        ],
        rounds,
      );
      console.log(`${formatTable(title, timings)}\n`);
      const ratio = timings[1]?.ratio ?? Number.NaN;
      verdict(
        ratio <= targets.overWithout,
        `at most ${targets.overWithout} × a call without a network: ${ratio.toFixed(2)} ×`,
      );
      console.log('');
    }
  } finally {
    for (const executor of Object.values(executors)) await executor.close?.();
    await network.close();
    await sandbox.close?.();
  }
}

function callProxyOf(egress: EgressProxy, network: Parameters<EgressProxy['open']>[0]['network']): CallProxy {
  return egress.open({
    network,
    deny: [],
    secrets: [],
    // For all rounds together.
    limits: { connections: 64, requestBytes: 2 ** 30, responseBytes: 2 ** 30, timeoutMs: 60_000 },
    remedy: () => '',
  });
}

function proxyTo(egress: CallProxy): Promise<Server> {
  return listening(createTcp({ noDelay: true, allowHalfOpen: true }, (socket) => egress.serve(socket)));
}

async function listening(server: Server): Promise<Server> {
  server.listen(0, address);
  await once(server, 'listening');
  return server;
}

async function tunnel(proxy: number, port: number, headers: Record<string, string> = {}): Promise<Socket> {
  const socket = connect({ host: address, port: proxy, noDelay: true });
  const all = Object.entries({ Host: `${address}:${port}`, ...headers });
  const lines = [`CONNECT ${address}:${port} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`)];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  if (!head.includes(' 200 ')) throw new Error(`the proxy opened no tunnel: ${head.toString()}`);
  return socket;
}

/** One request over TLS on a connection, which is closed afterwards. */
async function got(socket: Socket, port: number, ca: string): Promise<void> {
  const secure = secured({ socket, host: address, ca });
  const request = send({ host: address, port, createConnection: () => secure });
  request.end();
  const [response] = await once(request, 'response');
  let body = '';
  for await (const piece of response.setEncoding('utf8')) body += piece;
  secure.destroy();
  check(body);
}

async function requestThrough(egress: CallProxy, url: string): Promise<void> {
  const { body } = await egress.request({ method: 'GET', url, headers: {}, body: new Uint8Array() });
  check(Buffer.from(body).toString());
}

/** Fails unless the request succeeds, because refusals are fast. */
function check(body: string): void {
  if (body !== 'hello') throw new Error(`the server answered ${body}`);
}
