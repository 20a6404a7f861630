import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { atDeadline } from '../../../packages/runtime/src/testing/at-deadline.ts';
import { startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { httpClient } from '../support/mcp-client.ts';

const soFar = { stdout: 'so far ü', stderr: 'and this' };

/** The part of a tool's answer that these tests read. */
interface Answer {
  isError?: boolean;
  content: { text: string }[];
}

/** A published script and a program compiled for WASI. Both print and then never end. */
async function skillFolder(): Promise<string> {
  const folder = join(await temporaryFolder(), 'skills');
  const run = { runtime: 'wasm', protocol: 'command', entry: 'command.wasm' };
  await writeSkills(folder, {
    script: {
      'scripts/run.sh': `#!/bin/sh
if [ "$1" = echo ]; then printf 'done' >&2; printf '%s\\n' "$2"; exit 0; fi
printf 'so far ü'; printf 'and this' >&2
sleep 600\n`,
    },
    program: { 'ambit.yaml': JSON.stringify({ run }) },
  });
  const fixture = join(repository, 'packages/runtime/src/wasm/testing/fixtures/command.wasm');
  await copyFile(fixture, join(folder, 'program/command.wasm'));
  return folder;
}

test.each(['script', 'program'])(
  'a %s that times out keeps its output: over HTTP, over MCP and in its record',
  async (skill) => {
    const skills = [{ path: await skillFolder(), tier: 'local' }];
    const toolCall =
      skill === 'program'
        ? { name: skill, arguments: { args: ['stay'] } }
        : { name: 'run_skill_script', arguments: { name: skill, args: ['stay'] } };
    const { result, timeoutMs } = await atDeadline(
      async (timeoutMs) => {
        const daemon = await startDaemon({ skills, limits: { timeoutMs } });
        const { body } = await daemon.execute(skill, { args: ['stay'] });
        const client = await httpClient(daemon);
        const answer = (await client.callTool(toolCall)) as Answer;
        const lines = answer.content[0]?.text.split('\n').slice(0, 3);
        return { daemon, body, isError: answer.isError, lines };
      },
      ({ body, lines }) => body.outcome.stderr !== '' && lines?.[1] === soFar.stderr,
    );
    const { daemon, body, isError, lines } = result;
    expect(body.outcome).toEqual({ status: 'timed-out', timeoutMs, ...soFar });
    const record = (await daemon.request('GET', `/audit/${body.executionId}`)).body;
    expect({ outcome: record.outcome, stored: JSON.parse(record.stored.output.text) }).toEqual({
      outcome: 'timed-out',
      stored: soFar,
    });
    expect({ isError, lines }).toEqual({
      isError: true,
      lines: ['so far ü', 'and this', `${skill} was stopped: it exceeded its timeout of ${timeoutMs} ms.`],
    });
    const patient = await startDaemon({ skills });
    const ended = await patient.execute(skill, { args: ['echo', '0'] });
    expect(ended.body.outcome).toEqual({
      status: 'succeeded',
      output: { exitCode: 0, stdout: '0\n', stderr: 'done' },
    });
  },
);

test.each(['script', 'program'])(
  'the command line prints the output of a %s that timed out',
  async (skill) => {
    const folder = await temporaryFolder();
    const config = join(folder, 'ambit.config.yaml');
    await writeFile(config, JSON.stringify({ skills: [{ path: await skillFolder(), tier: 'local' }] }));
    const run = (...more: string[]) => ambit(['run', skill, '--config', config, ...more], { cwd: folder });
    const { result, timeoutMs } = await atDeadline(
      (timeoutMs) => run('--timeout', `${timeoutMs}`, '--', 'stay'),
      ({ stderr }) => stderr.includes(soFar.stderr),
    );
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 1, stdout: 'so far ü' });
    expect(result.stderr).toMatch(
      new RegExp(`and this\\s+${skill} was stopped: it exceeded its timeout of ${timeoutMs} ms\\.`),
    );
    const ended = await run('--timeout', '60000', '--', 'echo', '0');
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: '0\n' });
  },
);
