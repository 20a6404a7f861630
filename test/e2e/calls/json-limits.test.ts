// Threat model: T280, T281, T284

import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { laterRecords } from '../../support/later-records.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { command } from '../../support/wasm/command.ts';
import { httpClient, stdioClient } from '../support/mcp-client.ts';
import { eventsIn } from '../support/streams.ts';

/** Part of ECMAScript that TypeScript's library lacks. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

const limits = { outputBytes: 16 * 1024 * 1024 };
const list = { type: 'array', items: { type: 'integer' } };
/** 20,000 numbers: too many to parse on the thread that serves requests. */
const large = Array.from({ length: 20_000 }, (_, index) => index);

/** `writes` prints its input as formatted by Python, `echo` returns its input, and `lists` declares integers as output. */
const local = {
  writes: pythonSkill('sys.stdout.write(eval(given))', { limits }),
  lists: pythonSkill('sys.stdout.write(eval(given))', { limits, output: list }),
  echo: pythonSkill('print(json.dumps(given))', { limits, input: true }),
  strict: pythonSkill('print(len(given))', { limits, input: list }),
  seen: {
    'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'index.js' } }),
    'index.js': `import { context } from 'ambit'; export default () => context().caller;`,
  },
  gives: {
    'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'index.js' } }),
    'index.js': 'export default (text) => eval(text)',
  },
  size: {
    'ambit.yaml': JSON.stringify({
      run: {
        runtime: 'process',
        protocol: 'command',
        entry: 'scripts/run.py',
        limits,
        capabilities: { exec: ['python3'] },
      },
    }),
    'scripts/run.py': 'import sys\nprint(len(sys.stdin.read()))\n',
  },
};

/** An untrusted module that writes a list of that many empty objects and requests the output limit of trusted skills. */
function writesObjects(times: number): Record<string, string | Uint8Array> {
  const part = '{},'.repeat(1000);
  const body = `
    (call $print (i32.const 1) (i32.const 3000) (i32.const 1))
    (loop $next
      (call $print (i32.const 1) (i32.const 0) (i32.const 3000))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const ${times}))))
    (call $print (i32.const 1) (i32.const 3001) (i32.const 3))`;
  return {
    'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'skill.wasm', limits } }),
    'skill.wasm': command(body, `${part}[{}]`),
  };
}

let config: object;

const daemon = sharedDaemon(async (trusted) => {
  const strange = join(trusted, '../strange');
  await writeSkills(trusted, local);
  await writeSkills(strange, {
    few: writesObjects(100),
    many: writesObjects(300),
    flood: writesObjects(5000),
  });
  config = {
    bundledSkills: false,
    skills: [
      { path: trusted, tier: 'local' },
      { path: strange, tier: 'untrusted' },
    ],
  };
  return config;
});

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

test('ends an untrusted skill that writes more than 1 MiB or 250,000 values, and accepts less', async () => {
  const records = await laterRecords(daemon());
  const outcomeOf = async (skill: string) => (await daemon().execute(skill, { input: null })).body.outcome;
  expect(await outcomeOf('few')).toEqual({ status: 'succeeded', output: new Array(100_001).fill({}) });
  expect(await outcomeOf('many')).toEqual({
    status: 'output-invalid',
    stderr: '',
    detail: "the skill's output has more than 250000 values",
  });
  expect(await outcomeOf('flood')).toEqual({ status: 'output-too-large', outputBytes: 1024 * 1024 });
  expect((await records()).map(({ outcome }) => outcome)).toEqual([
    ...['output-too-large', 'output-invalid', 'succeeded'],
  ]);
});

test('checks, returns and records a large output like a small one', async () => {
  const records = await laterRecords(daemon());
  const [text, output] = ['json.dumps([list(range(20000)), "ä\\n"], indent=1)', [large, 'ä\n']];
  const answer = await daemon().execute('writes', { input: text });
  expect(answer.body.outcome).toEqual({ status: 'succeeded', output });
  expect(await records()).toMatchObject([
    { output: { digest: sha256(JSON.stringify(output)) }, stored: { output: { isCut: true } } },
  ]);
  const [fits, not] = ['json.dumps(list(range(20000)))', 'json.dumps([*range(20000), "a"])'];
  expect((await daemon().execute('lists', { input: fits })).body.outcome.output).toEqual(large);
  expect((await daemon().execute('lists', { input: not })).body.outcome).toMatchObject({
    status: 'output-invalid',
    detail: '/20000: must be an integer, not a string',
  });
});

test('returns a large output unchanged in a stream, a batch, a chain, an execution and with an idempotency key', async () => {
  const call = { input: 'json.dumps(list(range(20000)))' };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    daemon().request('POST', path, { body, headers });

  const batch = {
    calls: [
      { skill: 'writes', ...call },
      { skill: 'echo', input: 1 },
    ],
  };
  const { results } = (await post('/batch', batch)).body;
  expect(results.map(({ answer }: { answer: Answered }) => answer.outcome.output)).toEqual([large, 1]);

  const steps = [{ skill: 'writes' }, { skill: 'echo' }];
  expect((await post('/chain', { ...call, steps })).body.outcome.output).toEqual(large);
  const toCommand = [{ skill: 'writes' }, { skill: 'size' }];
  expect((await post('/chain', { ...call, steps: toCommand })).body.outcome.output.stdout).toBe(
    `${JSON.stringify(large).length}\n`,
  );

  const keyed = { 'idempotency-key': 'k' };
  const first = await post('/skills/writes/execute', call, keyed);
  expect(first.body.outcome.output).toEqual(large);
  expect((await post('/skills/writes/execute', call, keyed)).body).toEqual(first.body);
  const held = await daemon().request('GET', `/executions/${first.body.executionId}`);
  expect(held.body).toMatchObject({ outcome: 'succeeded', result: first.body });
  const events = await fetch(`${daemon().url}/executions/${first.body.executionId}/events`, {
    headers: { authorization: `Bearer ${daemon().key}` },
  });
  expect(eventsIn(await events.text()).at(-1)).toMatchObject({ name: 'result', data: first.body });
});

test('truncates a long output over MCP, or returns an error for a tool with structured output', async () => {
  const client = await httpClient(daemon());
  const called = async (name: string, input: string) => client.callTool({ name, arguments: { input } });
  const fits = await called('lists', 'json.dumps(list(range(20000)))');
  expect(fits).toMatchObject({ structuredContent: { output: large } });
  expect(await called('writes', 'json.dumps([0] * 100000)')).toMatchObject({
    content: [{ type: 'text', text: JSON.stringify(new Array(100_000).fill(0)) }],
  });
  const longer = 'json.dumps([0] * 200000)';
  for (const [name, isError] of [
    ['writes', undefined],
    ['lists', true],
  ] as const) {
    const answer = await called(name, longer);
    expect([answer.isError, answer.structuredContent]).toEqual([isError, undefined]);
    expect(answer.content).toEqual([
      { type: 'text', text: expect.stringMatching(/^\[0,.*\n\[cut: the text has 400001 characters, .*\]$/s) },
    ]);
  }
});

interface Answered {
  outcome: { output: unknown };
}

test('checks, passes and records a large input like a small one', async () => {
  const records = await laterRecords(daemon());
  expect((await daemon().execute('echo', { input: large })).body.outcome.output).toEqual(large);
  expect(await records()).toMatchObject([{ input: { digest: sha256(JSON.stringify({ input: large })) } }]);
  expect((await daemon().execute('strict', { input: large })).body.outcome.output).toBe(20_000);
  expect(await daemon().execute('strict', { input: [...large, 'a'] })).toMatchObject({
    status: 422,
    body: {
      code: 'INPUT_INVALID',
      issues: [{ at: '/20000', message: 'must be an integer, not a string' }],
    },
  });
});

test('refuses an output with a number that is not finite, and accepts the largest finite one', async () => {
  const outcomeOf = async (text: string) => (await daemon().execute('writes', { input: text })).body.outcome;
  expect(await outcomeOf('"[1e308, -1e308]"')).toEqual({ status: 'succeeded', output: [1e308, -1e308] });
  for (const number of ['1e400', '-1e309'])
    expect(await outcomeOf(`'{"a": [${number}]}'`)).toEqual({
      status: 'output-invalid',
      stderr: '',
      detail: "the skill's output has a number that is not finite, at /a/0",
    });
  expect(await outcomeOf(`"[" + "0," * 30000 + "1e400]"`)).toMatchObject({
    status: 'output-invalid',
    detail: "the skill's output has a number that is not finite, at /30000",
  });
});

test('refuses an input or context with a number that is not finite over HTTP, and accepts the largest finite one', async () => {
  const records = await laterRecords(daemon());
  const execute = (skill: string, raw: string) =>
    daemon().request('POST', `/skills/${skill}/execute`, { raw });
  expect((await execute('echo', '{"input":{"n":1e308}}')).body.outcome.output).toEqual({ n: 1e308 });
  for (const number of ['1e400', '-1e400', '9'.repeat(400)])
    expect(await execute('echo', `{"input":{"n":${number}}}`)).toMatchObject({
      status: 422,
      body: { code: 'INPUT_INVALID', issues: [{ at: '/n', message: 'must be a finite number' }] },
    });
  expect(await execute('echo', `{"input":[${'0,'.repeat(30_000)}1e400]}`)).toMatchObject({
    status: 422,
    body: {
      code: 'INPUT_INVALID',
      detail: 'the body has a number that is not finite at /input/30000',
    },
  });
  expect(await execute('seen', '{"input":null,"context":{"a":[1e400]}}')).toMatchObject({
    status: 422,
    body: { code: 'INPUT_INVALID', issues: [{ at: '/a/0' }] },
  });
  expect((await execute('seen', '{"input":null,"context":{"a":[1e308]}}')).body.outcome.output).toEqual({
    a: [1e308],
  });
  expect((await records()).map(({ outcome, error }) => error?.code ?? outcome)).toEqual([
    ...['succeeded', ...new Array(5).fill('INPUT_INVALID'), 'succeeded'],
  ]);
});

test('refuses a number that is not finite in the result of a script, and accepts the largest finite one', async () => {
  const outcomeOf = async (input: string) => (await daemon().execute('gives', { input })).body.outcome;
  expect(await outcomeOf('[null, 1e308]')).toEqual({ status: 'succeeded', output: [null, 1e308] });
  const trap = 'Error: JSON cannot hold Infinity; use a finite number';
  expect(await outcomeOf('[null, 1e400]')).toEqual({ status: 'failed', failure: { trap }, stderr: '' });
});

test('refuses a number that is not finite over MCP, through ambit mcp and on the command line', async () => {
  const records = await laterRecords(daemon(), 'via=mcp');
  const answersOf = async (client: Client) => {
    const call = (number: string) =>
      client.callTool({ name: 'echo', arguments: { input: [rawJSON(number)] } });
    return [await call('1e308'), await call('1e400')];
  };
  const expected = [
    { content: [{ text: '[1e+308]' }] },
    {
      isError: true,
      content: [{ text: expect.stringMatching(/INPUT_INVALID.*\/0: must be a finite number/) }],
    },
  ];
  expect(await answersOf(await httpClient(daemon()))).toMatchObject(expected);
  const file = join(await temporaryFolder(), 'ambit.yaml');
  // With a daemon, to which it forwards the call, and without one.
  for (const dataDir of [daemon().dataDir, join(await temporaryFolder(), 'data')]) {
    await writeFile(file, JSON.stringify({ ...config, dataDir }));
    expect(await answersOf(await stdioClient(file))).toMatchObject(expected);
  }
  expect((await records()).map(({ outcome, error }) => error?.code ?? outcome)).toEqual([
    ...['INPUT_INVALID', 'succeeded', 'INPUT_INVALID', 'succeeded'],
  ]);

  await writeFile(file, JSON.stringify({ ...config, dataDir: daemon().dataDir }));
  const run = (stdin: string) => ambit(['run', 'echo', '--input', '-', '--config', file], { stdin });
  expect(await run('[-1e308]')).toMatchObject({ code: 0, stdout: '[-1e+308]\n' });
  expect(await run('[-1e400]')).toMatchObject({
    code: expect.any(Number),
    stdout: '',
    stderr: expect.stringContaining('stdin has a number that is too large, at /0'),
  });
});
