import type { Grant, RunResult } from '@ambit/core/execute';
import type { RunEvent, RunInput } from '@ambit/core/internal';
import { describe, expect, onTestFinished, test } from 'vitest';
import { egress } from '../egress/egress.ts';
import { grantedSkill } from '../testing/skill-on-disk.ts';
import { processExecutor } from './process-executor.ts';
import { bubblewrapSandbox } from './sandbox/bubblewrap-sandbox.ts';

const secret = 'open-sesame-öffne-dich';
const hosts = ['api.example.com:443'];
const shell = { runtime: 'process', entry: 'scripts/run.sh', protocol: 'command' };
const python = { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] } };

/** Runs one call; as soon as it has been told something of `until`, its caller has enough. */
async function watched(
  grant: Grant,
  input: RunInput,
  { until, prewarmMax = 0 }: { until?: RunEvent['kind']; prewarmMax?: number } = {},
): Promise<{ told: RunEvent[]; execution: RunResult }> {
  const sandbox = bubblewrapSandbox();
  const network = egress(async () => secret);
  const executor = processExecutor({ sandbox, environment: {}, egress: network, prewarmMax });
  onTestFinished(async () => {
    await executor.close?.();
    await network.close();
    sandbox.close?.();
  });
  await executor.prewarm?.(grant);
  const told: RunEvent[] = [];
  const enough = new AbortController();
  const execution = await executor.execute(grant, input, enough.signal, (event) => {
    told.push(event);
    if (event.kind === until) enough.abort('enough');
  });
  return { told, execution };
}

const command = (...args: string[]): RunInput => ({ protocol: 'command', args, stdin: '' });

function shellSkill(script: string, capabilities: object = {}, limits: object = {}): Promise<Grant> {
  const run = { ...shell, limits, capabilities: { exec: ['sh', 'sleep', 'cat'], ...capabilities } };
  return grantedSkill(run, { 'scripts/run.sh': `#!/bin/sh\n${script}\n` }, { operator: capabilities });
}

function textOf(told: readonly RunEvent[], kind: RunEvent['kind']): string {
  return told.map((event) => (event.kind === kind && 'text' in event ? event.text : '')).join('');
}

describe('a program is heard while it runs', () => {
  test('on stdout, which with protocol command is text', async () => {
    const grant = await shellSkill('printf "wörk"; sleep 1000');
    const { told, execution } = await watched(grant, command(), { until: 'stdout' });
    expect(told).toEqual([{ kind: 'stdout', text: 'wörk' }]);
    expect(execution.outcome).toEqual({ stdout: 'wörk', stderr: '', status: 'canceled', reason: 'enough' });
  });

  test('on stderr, and never on stdout where that is its answer', async () => {
    const script =
      'import sys, time\nprint(1, flush=True)\nprint("two", file=sys.stderr, flush=True)\ntime.sleep(1000)\n';
    const grant = await grantedSkill(python, { 'scripts/run.py': script });
    const { told } = await watched(grant, { protocol: 'json', value: {} }, { until: 'stderr' });
    expect(told).toEqual([{ kind: 'stderr', text: 'two\n' }]);
  });

  test('also one that has waited for its call', async () => {
    const script =
      'import sys, time\nsys.stdin.read()\nprint("two", file=sys.stderr, flush=True)\ntime.sleep(1000)\n';
    const grant = await grantedSkill({ ...python, prewarm: 1 }, { 'scripts/run.py': script });
    const { told, execution } = await watched(
      grant,
      { protocol: 'json', value: {} },
      { until: 'stderr', prewarmMax: 1 },
    );
    expect(told).toEqual([{ kind: 'stderr', text: 'two\n' }]);
    expect(execution.sandbox).toBe('bubblewrap, prewarmed');
  });
});

test('what is told joined is what the execution has, on both streams', async () => {
  const grant = await shellSkill(
    'for i in 1 2 3 4 5; do echo "out $i ü"; echo "err $i 😀" >&2; echo "::progress $i/5 steps" >&2; done',
  );
  const { told, execution } = await watched(grant, command());
  expect(execution.outcome).toEqual({
    status: 'succeeded',
    output: { exitCode: 0, stdout: textOf(told, 'stdout'), stderr: textOf(told, 'stderr') },
  });
  expect(textOf(told, 'stderr')).toBe([1, 2, 3, 4, 5].map((i) => `err ${i} 😀\n`).join(''));
  expect(told.findLast(({ kind }) => kind === 'progress')).toEqual({
    ...{ kind: 'progress', done: 5, total: 5, message: 'steps' },
  });
});

test('a secret that comes in two pieces, with time between them, is redacted on both streams', async () => {
  const grant = await shellSkill(
    'printf "a $1"; printf "b $1" >&2; sleep 0.2; printf "$2 c"; printf "$2 d" >&2; printf "\\377" >&2',
    { network: hosts, secrets: [{ name: 'API_TOKEN', hosts }] },
  );
  const { told, execution } = await watched(grant, command(secret.slice(0, 9), secret.slice(9)));
  const redacted = '*'.repeat(Buffer.from(secret).length);
  expect([textOf(told, 'stdout'), textOf(told, 'stderr')]).toEqual([
    `a ${redacted} c`,
    `b ${redacted} d\ufffd`,
  ]);
  expect(execution.outcome).toEqual({
    status: 'succeeded',
    output: { exitCode: 0, stdout: `a ${redacted} c`, stderr: `b ${redacted} d\ufffd` },
  });
});

test('the beginning of a secret at the end of what a program was ended in is left out, told and kept', async () => {
  const body = 'printf "a $1"; printf "b $1" >&2; sleep 600';
  const run = async (more: object): Promise<unknown[]> => {
    const grant = await shellSkill(body, more, { timeoutMs: 700 });
    const { told, execution } = await watched(grant, command(secret.slice(0, 9)));
    const { outcome } = execution;
    return [textOf(told, 'stdout'), textOf(told, 'stderr'), outcome];
  };
  const ended = (stdout: string, stderr: string) => ({ status: 'timed-out', timeoutMs: 700, stdout, stderr });
  const granted = { network: hosts, secrets: [{ name: 'API_TOKEN', hosts }] };
  expect(await run(granted)).toEqual(['a ', 'b ', ended('a ', 'b ')]);
  const [stdout, stderr] = [`a ${secret.slice(0, 9)}`, `b ${secret.slice(0, 9)}`];
  expect(await run({})).toEqual([stdout, stderr, ended(stdout, stderr)]);
});

test('a program that says what bubblewrap says is heard at its end, and one that cannot be started is not', async () => {
  const own = await shellSkill('printf "bwrap: " >&2; sleep 0.1; echo "mine" >&2');
  expect((await watched(own, command())).told).toEqual([{ kind: 'stderr', text: 'bwrap: mine\n' }]);
  const told: RunEvent[] = [];
  const executor = processExecutor({ sandbox: bubblewrapSandbox({ directoryBytes: 0.5 }), environment: {} });
  const call = executor.execute(
    await shellSkill('echo "mine" >&2'),
    command(),
    new AbortController().signal,
    (event) => told.push(event),
  );
  await expect(call).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  expect(told).toEqual([]);
});
