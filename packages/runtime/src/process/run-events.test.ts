// Threat model: T176, T209, T210

import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { Grant, RunEvent, RunInput, RunResult } from '@ambit/core/execute';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { egress } from '../egress/egress.ts';
import { atDeadline } from '../testing/at-deadline.ts';
import { grantedSkill } from '../testing/skill-on-disk.ts';
import { processExecutor } from './process-executor.ts';
import { findHostProgram } from './programs/host-program.ts';
import { bubblewrapSandbox } from './sandbox/bubblewrap/bubblewrap-sandbox.ts';

const secret = 'open-sesame-öffne-dich';
const hosts = ['api.example.com:443'];
const shell = { runtime: 'process', entry: 'scripts/run.sh', protocol: 'command' };
const python = { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] } };

/** Runs one call, and cancels it after the first event of kind `until`. */
async function watched(
  grant: Grant,
  input: RunInput,
  { until, prewarmMax = 0 }: { until?: RunEvent['kind']; prewarmMax?: number } = {},
): Promise<{ events: RunEvent[]; result: RunResult }> {
  const sandbox = bubblewrapSandbox();
  const network = egress(async () => secret);
  const executor = processExecutor({ sandbox, environment: {}, egress: network, prewarmMax });
  onTestFinished(async () => {
    await executor.close?.();
    await network.close();
    await sandbox.close?.();
  });
  await executor.prewarm?.(grant);
  const events: RunEvent[] = [];
  const enough = new AbortController();
  const result = await executor.execute(grant, input, enough.signal, (event) => {
    events.push(event);
    if (event.kind === until) enough.abort('enough');
  });
  return { events, result };
}

const command = (...args: string[]): RunInput => ({ protocol: 'command', args, stdin: '' });

function shellSkill(script: string, capabilities: object = {}, limits: object = {}): Promise<Grant> {
  const run = { ...shell, limits, capabilities: { exec: ['sh', 'sleep', 'cat'], ...capabilities } };
  return grantedSkill(run, { 'scripts/run.sh': `#!/bin/sh\n${script}\n` }, { operator: capabilities });
}

/** A bubblewrap that gets one more option when it sets up the sandbox of a run. */
async function bubblewrapWith(option: string): Promise<string> {
  const bubblewrap = findHostProgram('bwrap')?.file;
  const folder = await temporaryFolder({
    bwrap: `#!/bin/sh\ncase " $* " in *" --seccomp "*) exec ${bubblewrap} ${option} "$@" ;; esac\nexec ${bubblewrap} "$@"\n`,
  });
  // The user of the run starts it, if this process is root.
  for (const path of [folder, join(folder, 'bwrap')]) await chmod(path, 0o755);
  return join(folder, 'bwrap');
}

function textOf(events: readonly RunEvent[], kind: RunEvent['kind']): string {
  return events.map((event) => (event.kind === kind && 'text' in event ? event.text : '')).join('');
}

test('stderr of a prewarmed program is sent while it runs', async () => {
  const script =
    'import sys, time\nsys.stdin.read()\nprint("two", file=sys.stderr, flush=True)\ntime.sleep(1000)\n';
  const grant = await grantedSkill({ ...python, prewarm: 1 }, { 'scripts/run.py': script });
  const { events, result } = await watched(
    grant,
    { protocol: 'json', value: {} },
    { until: 'stderr', prewarmMax: 1 },
  );
  expect(events).toEqual([{ kind: 'stderr', text: 'two\n' }]);
  expect(result.sandbox).toBe('bubblewrap, prewarmed');
});

test('a secret written in two pieces with a pause is redacted on both streams', async () => {
  const grant = await shellSkill(
    'printf "a $1"; printf "b $1" >&2; sleep 0.2; printf "$2 c"; printf "$2 d" >&2; printf "\\377" >&2',
    { network: hosts, secrets: [{ name: 'API_TOKEN', hosts }] },
  );
  const { events, result } = await watched(grant, command(secret.slice(0, 9), secret.slice(9)));
  const redacted = '*'.repeat(Buffer.from(secret).length);
  expect([textOf(events, 'stdout'), textOf(events, 'stderr')]).toEqual([
    `a ${redacted} c`,
    `b ${redacted} d\ufffd`,
  ]);
  expect(result.outcome).toEqual({
    status: 'succeeded',
    output: { exitCode: 0, stdout: `a ${redacted} c`, stderr: `b ${redacted} d\ufffd` },
  });
});

test('the last line of a stopped program is left out of events and result if the call has secrets, whatever it is', async () => {
  const body = 'printf "a\\n$1"; printf "b\\n$1" >&2; sleep 600';
  const run = async (more: object, written: string): Promise<unknown[]> => {
    const { result } = await atDeadline(
      async (timeoutMs) => watched(await shellSkill(body, more, { timeoutMs }), command(written)),
      ({ events }) => textOf(events, 'stderr') !== '',
    );
    const { outcome } = result.result;
    return [textOf(result.events, 'stdout'), textOf(result.events, 'stderr'), outcome];
  };
  const timeoutMs = expect.any(Number);
  const ended = (stdout: string, stderr: string) => ({ status: 'timed-out', timeoutMs, stdout, stderr });
  const granted = { network: hosts, secrets: [{ name: 'API_TOKEN', hosts }] };
  const beginning = secret.slice(0, 9);
  for (const written of [beginning, 'x'.repeat(9)])
    expect(await run(granted, written)).toEqual(['a\n', 'b\n', ended('a\n', 'b\n')]);
  const [stdout, stderr] = [`a\n${beginning}`, `b\n${beginning}`];
  expect(await run({}, beginning)).toEqual([stdout, stderr, ended(stdout, stderr)]);
});

test('stderr that begins like a bubblewrap error is sent when the program ends, and setup errors are never sent', async () => {
  const own = await shellSkill('printf "bwrap: " >&2; sleep 0.1; echo "mine" >&2');
  expect((await watched(own, command())).events).toEqual([{ kind: 'stderr', text: 'bwrap: mine\n' }]);
  const events: RunEvent[] = [];
  const sandbox = bubblewrapSandbox({ file: await bubblewrapWith('--no-such-option') });
  const executor = processExecutor({ sandbox, environment: {} });
  const call = executor.execute(
    await shellSkill('echo "mine" >&2'),
    command(),
    new AbortController().signal,
    (event) => events.push(event),
  );
  await expect(call).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  expect(events).toEqual([]);
});
