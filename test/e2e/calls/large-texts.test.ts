// Threat model: T282

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { atDeadline } from '../../../packages/runtime/src/testing/at-deadline.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { laterRecords } from '../../support/later-records.ts';
import { writeSkills } from '../../support/skills.ts';
import { httpClient } from '../support/mcp-client.ts';

/** Too long to parse on the thread that serves requests. It is longer as JSON than as text. */
const large = '"ä"\n'.repeat(20_000);

const limits = { outputBytes: 16 * 1024 * 1024 };
const python = { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] }, limits };

/** `echo` returns its text, `odd` returns bytes that are not UTF-8, and `stays` prints and then never ends. */
const daemon = sharedDaemon(async (folder) => {
  const skill = (run: object, body: string) => ({
    'ambit.yaml': JSON.stringify({ run: { ...python, ...run } }),
    'scripts/run.py': `import sys, time\n${body}\n`,
  });
  await writeSkills(folder, {
    echo: skill({ input: 'text', output: 'text' }, 'sys.stdout.buffer.write(sys.stdin.buffer.read())'),
    odd: skill({ output: 'text' }, `sys.stdout.buffer.write(b"x" * 100000 + b"\\xff")`),
    stays: skill(
      { protocol: 'command' },
      `sys.stdout.write(sys.stdin.read())\nsys.stdout.flush()\nsys.stderr.write("and this")\nsys.stderr.flush()\ntime.sleep(600)`,
    ),
  });
  return { bundledSkills: false, skills: [{ path: folder, tier: 'local' }] };
});

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

test.each([
  ['short', '"ä"\n'],
  ['long', large],
])('passes, returns and records a %s text unchanged', async (_, text) => {
  const records = await laterRecords(daemon());
  expect((await daemon().execute('echo', { input: text })).body.outcome).toEqual({
    status: 'succeeded',
    output: text,
  });
  expect(await records()).toMatchObject([
    {
      input: { digest: sha256(JSON.stringify({ input: text })) },
      output: { digest: sha256(JSON.stringify(text)) },
    },
  ]);
  const chain = { input: text, steps: [{ skill: 'echo' }, { skill: 'echo' }] };
  expect((await daemon().request('POST', '/chain', { body: chain })).body.outcome.output).toBe(text);
  const client = await httpClient(daemon());
  expect(await client.callTool({ name: 'echo', arguments: { input: text } })).toMatchObject({
    content: [{ type: 'text', text: JSON.stringify(text) }],
    structuredContent: { output: text },
  });
});

test('refuses a long text that is not UTF-8', async () => {
  expect((await daemon().execute('odd', { input: 0 })).body.outcome).toEqual({
    status: 'output-invalid',
    detail: "the skill's output is not UTF-8",
    stderr: '',
  });
});

test('returns and records everything that a command printed before it timed out', async () => {
  const written = { stdout: large, stderr: 'and this' };
  const { result, timeoutMs } = await atDeadline(
    async (timeoutMs) => (await daemon().execute('stays', { stdin: large, limits: { timeoutMs } })).body,
    ({ outcome }) => outcome.stderr !== '',
  );
  const { outcome, executionId } = result;
  expect(outcome).toEqual({ status: 'timed-out', timeoutMs, ...written });
  const { stored } = (await daemon().request('GET', `/audit/${executionId}`)).body;
  expect(stored.output.isCut).toBe(true);
  expect(JSON.stringify(written).startsWith(stored.output.text)).toBe(true);
});
