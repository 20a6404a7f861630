// Starts daemons of its own: the time limit is part of the configuration.

import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { atDeadline } from '../../../packages/runtime/src/testing/at-deadline.ts';
import { startDaemon } from '../../support/daemon.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';
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

test('a script and a program that time out keep their output: over HTTP, over MCP and in their records', async () => {
  const skills = [{ path: await skillFolder(), tier: 'local' }];
  const script = { name: 'run_skill_script', arguments: { name: 'script', args: ['stay'] } };
  const program = { name: 'program', arguments: { args: ['stay'] } };
  const { result, timeoutMs } = await atDeadline(
    async (timeoutMs) => {
      const daemon = await startDaemon({ skills, limits: { timeoutMs } });
      const client = await httpClient(daemon);
      const timedOut = async (skill: string, toolCall: typeof script | typeof program) => {
        const { body } = await daemon.execute(skill, { args: ['stay'] });
        const { isError, content } = (await client.callTool(toolCall)) as Answer;
        const record = (await daemon.request('GET', `/audit/${body.executionId}`)).body;
        return {
          outcome: body.outcome,
          tool: { isError, lines: content[0]?.text.split('\n').slice(0, 3) },
          record: { outcome: record.outcome, stored: JSON.parse(record.stored.output.text) },
        };
      };
      return { script: await timedOut('script', script), program: await timedOut('program', program) };
    },
    (each) =>
      Object.values(each).every(
        ({ outcome, tool }) => outcome.stderr !== '' && tool.lines?.[1] === soFar.stderr,
      ),
  );
  const timedOut = (skill: string) => ({
    outcome: { status: 'timed-out', timeoutMs, ...soFar },
    tool: {
      isError: true,
      lines: ['so far ü', 'and this', `${skill} was stopped: it exceeded its timeout of ${timeoutMs} ms.`],
    },
    record: { outcome: 'timed-out', stored: soFar },
  });
  expect(result).toEqual({ script: timedOut('script'), program: timedOut('program') });
  const patient = await startDaemon({ skills });
  for (const skill of ['script', 'program']) {
    const ended = await patient.execute(skill, { args: ['echo', '0'] });
    expect([skill, ended.body.outcome]).toEqual([
      skill,
      { status: 'succeeded', output: { exitCode: 0, stdout: '0\n', stderr: 'done' } },
    ]);
  }
});

test.each(isWhole ? ['script', 'program'] : ['script'])(
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
