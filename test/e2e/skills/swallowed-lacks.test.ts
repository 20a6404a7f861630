// Threat model: T385, T386

import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { findHostProgram } from '../../../packages/runtime/src/index.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit, daemonProcess, trust } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { httpClient, textOf } from '../support/mcp-client.ts';

/** Succeeds with half of its answer. `helper.py` starts a program whose name only a list has. */
const quiet = {
  'scripts/run.sh': `#!/bin/sh
command -v git >/dev/null || echo "no git"
python3 "$(dirname "$0")/helper.py" 2>/dev/null || echo "no python"
setsid -V >/dev/null && echo setsid
echo "$(nice -n 1 printf nice)"
`,
  'scripts/helper.py': 'import subprocess\ncommand = ["perl", "-e", "print 1"]\nsubprocess.run(command)\n',
  'scripts/unrelated.sh': '#!/bin/sh\nopenssl version\n',
};

/** Programs that the machine lacks, that have odd names, or that a deny rule names. */
const odd = {
  'scripts/run.sh': `#!/bin/sh
no-such-program-here || true
command -v ../../bin/git || true
command -v openssl || true
echo "x.sh: 1: ..: not found" >&2
echo 'x.sh: 1: $(id): not found' >&2
echo done
`,
};

/** Its error is caught, and the name of the program is printed. */
const caught = {
  'scripts/run.py': `import subprocess, sys
try:
    subprocess.run(["git", "--version"])
except FileNotFoundError as error:
    sys.exit(str(error))
`,
};

const crlf = (shell: string): Record<string, string> => ({
  'scripts/run.sh': `#!/bin/${shell}\r\nset -e\r\necho hello\r\nls\r\n`,
});

const options = '#!/bin/sh\necho "options: $JAVA_TOOL_OPTIONS"\n';

let repositories = '';
const gits = { 'scripts/run.sh': '#!/bin/sh\ngit -c "safe.directory=*" -C "$1" log --format=%s\n' };

const shared = sharedDaemon(async (path) => {
  await writeSkills(path, {
    quiet,
    odd,
    caught,
    gits,
    gitted: gits,
    dash: crlf('sh'),
    bash: crlf('bash'),
    java: { 'scripts/run.sh': options },
    plain: { 'scripts/run.sh': options },
  });
  repositories = await temporaryFolder({}, () => undefined);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: repositories });
  git('init', '-q', 'main');
  git('-C', 'main', 'commit', '-q', '--allow-empty', '-m', 'first');
  git('-C', 'main', 'worktree', 'add', '-q', '../tree');
  execFileSync('chmod', ['-R', 'a+rX', repositories]);
  const read = (...names: string[]) => ({ read: names.map((name) => join(repositories, name)) });
  return {
    skills: [{ path, tier: 'local' }],
    deny: { exec: ['openssl'] },
    grants: {
      java: { exec: ['java'], network: ['host.example'] },
      plain: { network: ['host.example'] },
      gits: { exec: ['git'], filesystem: read('tree') },
      gitted: { exec: ['git'], filesystem: read('tree', 'main/.git') },
    },
  };
});

const hasAll = ['git', 'python3', 'perl', 'setsid'].every((name) => findHostProgram(name) !== undefined);

test.skipIf(!hasAll)(
  'a run that succeeds without programs that its scripts name reports them over HTTP, over MCP and in its record',
  async () => {
    const { body } = await shared().execute('quiet', { script: 'run.sh' });
    expect(body).toMatchObject({
      outcome: { status: 'succeeded', output: { stdout: 'no git\nno python\nsetsid\nnice\n' } },
      missingPrograms: ['git', 'python3', 'perl'],
    });
    const record = await shared().request('GET', `/audit/${body.executionId}`);
    expect(record.body).toMatchObject({ outcome: 'succeeded', missingPrograms: ['git', 'python3', 'perl'] });

    const client = await httpClient(shared());
    const result = await client.callTool({
      name: 'run_skill_script',
      arguments: { name: 'quiet', script: 'run.sh' },
    });
    const text = textOf(result as Parameters<typeof textOf>[0]);
    expect(text).toContain(
      'quiet names git, python3, perl, which this machine has and its sandbox lacked. Its result may be incomplete. A person can grant them (to read the skill: "ambit skills review quiet").',
    );
    expect(text).not.toMatch(/propose|grants:|--write/);
  },
);

test.skipIf(!hasAll)('one command grants all of them, and then nothing is missing', async () => {
  const cwd = await temporaryFolder();
  await writeSkills(join(cwd, 'skills'), { quiet });
  const config = join(cwd, 'ambit.config.yaml');
  await writeFile(config, 'skills: [{ path: ./skills, tier: local }]\n');
  await trust(cwd);
  const daemon = await daemonProcess(cwd, {}, { unconfigured: true });
  onTestFinished(async () => void (await daemon.stop('SIGKILL')));
  const args = ['--data-dir', join(cwd, 'data')];
  const run = () => ambit(['run', 'quiet', '--script', 'run.sh', ...args], { cwd });

  expect(await run()).toEqual({
    code: 0,
    stdout: 'no git\nno python\nsetsid\nnice\n',
    stderr:
      'quiet names git, python3, perl, which this machine has and its sandbox lacked. Its result may be incomplete. A person decides, in a terminal, what to grant.\n',
  });
  expect(await ambit(['skills', 'propose', 'quiet', '--write', ...args], { cwd })).toMatchObject({ code: 0 });
  expect(parse(await readFile(config, 'utf8')).grants).toEqual({
    quiet: { exec: ['git', 'python3', 'perl'] },
  });
  expect(await run()).toEqual({ code: 0, stdout: '1setsid\nnice\n', stderr: '' });
});

test('a program that the machine lacks, an odd name and a denied program are never named as missing', async () => {
  const { body } = await shared().execute('odd', {});
  expect(body).toMatchObject({ outcome: { status: 'succeeded', output: { stdout: 'done\n' } } });
  expect(body.missingPrograms).toBeUndefined();
});

test.skipIf(findHostProgram('git') === undefined)(
  'a script that prints the caught error of a program gets a hint about the program, not about a file',
  async () => {
    const { body } = await shared().execute('caught', {});
    expect(body).toMatchObject({ outcome: { status: 'failed' }, missingPrograms: ['git'] });
    expect(body.hint).toBe(
      'The skill starts git, which this machine has and its sandbox lacks. To allow it, add to ambit.config.yaml: grants: { caught: { exec: [git] } }',
    );
  },
);

test.each(['dash', 'bash'].filter((shell) => findHostProgram(shell === 'dash' ? 'sh' : shell) !== undefined))(
  'a script with Windows line ends gets a hint about them: %s',
  async (shell) => {
    const { body } = await shared().execute(shell, {});
    expect(body).toMatchObject({
      outcome: { status: 'failed' },
      hint: expect.stringMatching(
        /^A script, such as scripts\/run\.sh, seems to have Windows line ends \(CRLF\): .* dos2unix/,
      ),
    });
  },
);

test.skipIf(findHostProgram('git') === undefined)(
  'a git worktree whose repository is not granted gets a hint that names the repository, and works once it is granted',
  async () => {
    const args = [join(repositories, 'tree')];
    const refused = await shared().execute('gits', { args });
    expect(refused.body.outcome).toMatchObject({ status: 'failed' });
    expect(refused.body.hint).toBe(
      `The folder is a git worktree or a submodule, and its repository is in another folder, ${repositories}/main/.git, which is not granted. To allow it, add to ambit.config.yaml: grants: { gits: { filesystem: { read: [${repositories}/tree, ${repositories}/main/.git] }, exec: [git] } }`,
    );
    const { body } = await shared().execute('gitted', { args });
    expect(body.outcome).toMatchObject({ status: 'succeeded', output: { stdout: 'first\n' } });
  },
);

test.skipIf(findHostProgram('java') === undefined)(
  'Java gets the options that make it use the proxy of its sandbox, and programs without it do not',
  async () => {
    const printed = async (skill: string) => (await shared().execute(skill, {})).body.outcome.output.stdout;
    expect(await printed('java')).toMatch(
      /^options: -Dhttp\.proxyHost=127\.0\.0\.1 -Dhttp\.proxyPort=\d+ -Dhttps\.proxyHost=127\.0\.0\.1 -Dhttps\.proxyPort=\d+\n$/,
    );
    expect(await printed('plain')).toBe('options: \n');
  },
);
