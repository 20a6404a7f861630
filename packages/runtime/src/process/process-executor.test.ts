// Threat model: T1, T35, T38, T44, T52, T84

import { chown, mkdir, readFile, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import type { Outcome } from '@ambit/core/execute';
import type { RunInput } from '@ambit/core/internal';
import { describe, expect, test } from 'vitest';
import { isWhole } from '../../../../test/support/whole.ts';
import { hasCgroups } from '../testing/has-cgroups.ts';
import { commandLinesWith } from '../testing/processes.ts';
import { grantedSkill, temporaryFolder, writeFiles } from '../testing/skill-on-disk.ts';
import { processExecutor } from './process-executor.ts';
import { findHostProgram } from './programs/host-program.ts';
import { bubblewrapSandbox } from './sandbox/bubblewrap/bubblewrap-sandbox.ts';

/** The user who needs access to granted paths: skills of a root daemon run as another user. */
const sandboxUser = process.getuid?.() === 0 ? 61_184 : (process.getuid?.() ?? 0);

const never = new AbortController().signal;
const executor = processExecutor({
  sandbox: bubblewrapSandbox(),
  environment: { TZ: 'Europe/Paris', SECRET_TOKEN: 'canary', HOME: '/root' },
});

const jsonInput = (value: unknown): RunInput => ({ protocol: 'json', value });
const command = (...args: string[]): RunInput => ({ protocol: 'command', args, stdin: '' });

const python = { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] } };
const shell = {
  runtime: 'process',
  entry: 'scripts/run.sh',
  protocol: 'command',
  capabilities: { exec: ['sh', 'ls', 'cat'] },
};

/** Runs a Python skill whose body sets `result`, with the input in `given`. */
async function runPython(
  body: string,
  run: object = {},
  options: Parameters<typeof grantedSkill>[2] = {},
): Promise<Outcome> {
  const script = `#!/usr/bin/env python3\nimport json, os, sys, time\ngiven = json.load(sys.stdin)\n${body}\njson.dump(result, sys.stdout)\n`;
  const grant = await grantedSkill({ ...python, ...run }, { 'scripts/run.py': script }, options);
  return (await executor.execute(grant, jsonInput({ word: 'ü' }), never)).outcome;
}

async function runShell(
  script: string,
  run: object = {},
  options: Parameters<typeof grantedSkill>[2] = {},
): Promise<Outcome> {
  const grant = await grantedSkill(
    { ...shell, ...run },
    { 'scripts/run.sh': `#!/bin/sh\n${script}\n` },
    options,
  );
  return (await executor.execute(grant, command('a b', '$HOME'), never)).outcome;
}

describe('protocol json', () => {
  test.each([
    ['nothing', 'pass', 'the skill wrote no output'],
    ['text that is not JSON', 'print("hello")', 'the skill\'s output is not JSON; it begins with "hello\\n"'],
    [
      'brackets without end',
      'print("[" * 513 + "]" * 513)',
      "the skill's output is nested more than 512 levels deep",
    ],
    [
      'bytes that are not UTF-8',
      'import sys; sys.stdout.buffer.write(b"\\xff")',
      "the skill's output is not UTF-8",
    ],
  ])('that writes %s has an invalid output', async (_, body, detail) => {
    const grant = await grantedSkill(python, { 'scripts/run.py': body });
    expect((await executor.execute(grant, jsonInput({}), never)).outcome).toEqual({
      status: 'output-invalid',
      detail,
      stderr: '',
    });
  });
});

describe('protocol command', () => {
  test('protocol command preserves a byte order mark in stdout', async () => {
    expect(await runShell("printf '\\357\\273\\277a'")).toMatchObject({ output: { stdout: '\uFEFFa' } });
  });

  test('arguments longer than the system accepts are refused as INPUT_INVALID, and the next call runs', async () => {
    const grant = await grantedSkill(shell, { 'scripts/run.sh': '#!/bin/sh\necho $#\n' });
    const long = Array<string>(100).fill('x'.repeat(100_000));
    await expect(executor.execute(grant, command(...long), never)).rejects.toThrow(
      new SkillError(
        'INPUT_INVALID',
        'the arguments are longer than this system allows; shorten them, or pass the data as input or files',
      ),
    );
    const { outcome } = await executor.execute(grant, command(...long.slice(90)), never);
    expect(outcome).toMatchObject({ output: { stdout: '10\n' } });
  });
});

describe('inside the sandbox', () => {
  test('the sandbox contains the granted programs, the libraries and the skill, and nothing else of the host', async () => {
    const outcome = await runPython(
      'result = {d: sorted(os.listdir(d)) for d in ["/", "/usr/bin", "/etc", "/skill", "/tmp"]}',
    );
    const python3 = (await realpath('/usr/bin/python3')).split('/').at(-1);
    expect(outcome).toEqual({
      status: 'succeeded',
      output: {
        '/': expect.not.arrayContaining(['home', 'root', 'sys', 'var', 'run', 'work']),
        '/usr/bin': ['python3', python3],
        '/etc': ['alternatives', 'group', 'hosts', 'ld.so.cache', 'nsswitch.conf', 'passwd'],
        '/skill': ['SKILL.md', 'ambit.yaml', 'scripts'],
        '/tmp': [],
      },
    });
  });
});

test('a call that leaves out the skill’s interpreter is refused, and a call with it runs', async () => {
  const left = (exec: string[]) => ({ narrowing: { capabilities: { exec } } });
  expect(await runPython('result = 1', {}, left(['python3']))).toMatchObject({ status: 'succeeded' });
  await expect(runPython('result = 1', {}, left([]))).rejects.toMatchObject({
    code: 'CAPABILITY_DENIED',
    message: expect.stringContaining(
      'needs exec python3, which is excluded by "capabilities" of the call. Add python3 to exec there, or leave exec out',
    ),
    details: { denials: [expect.objectContaining({ capability: 'exec', requested: 'python3' })] },
  });
});

describe('host paths', () => {
  async function hostFolder(): Promise<string> {
    const folder = await realpath(await temporaryFolder());
    await writeFiles(folder, { 'repos/a/file': 'in a', 'repos/b/file': 'in b', 'secret/file': 'canary' });
    return folder;
  }

  const reading = (paths: string[]): object => ({
    capabilities: { exec: ['sh', 'cat'], filesystem: { read: paths } },
  });

  test('a path granted for writing is written on the host', async () => {
    const folder = await hostFolder();
    const run = { capabilities: { exec: ['sh'], filesystem: { write: [`${folder}/repos/a`] } } };
    const asRoot = process.getuid?.() === 0;
    if (asRoot) {
      const call = runShell(':', run, { operator: { filesystem: { write: [`${folder}/repos`] } } });
      await expect(call).rejects.toThrow(`chown -R 61184 ${folder}/repos/a`);
      for (const path of ['repos/a', 'repos/a/file']) await chown(join(folder, path), 61_184, 61_184);
    }
    await runShell(`echo new > ${folder}/repos/a/file`, run, {
      operator: { filesystem: { write: [`${folder}/repos`] } },
    });
    expect(await readFile(join(folder, 'repos/a/file'), 'utf8')).toBe('new\n');
  });

  test('a granted folder that contains Ambit’s own files is granted without them', async () => {
    const folder = await hostFolder();
    await writeFiles(folder, { 'repos/.ambit/key': 'canary', 'repos/ambit.config.yaml': 'grants: {}' });
    for (const path of ['repos', 'repos/.ambit', 'repos/ambit.config.yaml'])
      await chown(join(folder, path), sandboxUser, sandboxUser);
    const own = { hidden: [`${folder}/repos/.ambit`], readOnly: [`${folder}/repos/ambit.config.yaml`] };
    const guarded = processExecutor({ sandbox: bubblewrapSandbox(), environment: {}, own });
    const call = async (script: string, path = `${folder}/repos`) => {
      const run = { ...shell, capabilities: { exec: ['sh', 'cat', 'ls'], filesystem: { write: [path] } } };
      const files = { 'scripts/run.sh': `#!/bin/sh\ncd ${folder}/repos\n${script}\n` };
      const grant = await grantedSkill(run, files, { operator: { filesystem: { write: [folder] } } });
      return (await guarded.execute(grant, command(), never)).outcome;
    };
    expect(await call('cat .ambit/key')).toMatchObject({ status: 'failed' });
    expect(await call('echo x > .ambit/audit.db')).toMatchObject({ status: 'failed' });
    expect(await call('rm -r .ambit')).toMatchObject({ status: 'failed' });
    expect(await call('echo x >> ambit.config.yaml')).toMatchObject({
      status: 'failed',
      stderr: expect.stringContaining('Read-only file system'),
    });
    expect(await call('cat ambit.config.yaml a/file && echo x > new')).toMatchObject({
      output: { stdout: 'grants: {}in a' },
    });
    expect(await readFile(join(folder, 'repos/.ambit/key'), 'utf8')).toBe('canary');
    await expect(call(':', `${folder}/repos/.ambit`)).rejects.toThrow(
      "is in Ambit's data directory, which holds its keys and the audit log",
    );
    await expect(call(':', `${folder}/repos/ambit.config.yaml`)).rejects.toThrow(
      'belongs to Ambit: skills never write',
    );
  });

  test('a writable path that contains a missing trusted folder is refused, and one with a missing untrusted folder is granted', async () => {
    const folder = await hostFolder();
    const trusted = join(folder, 'repos/skills');
    await symlink(join(folder, 'repos'), join(folder, 'link'));
    await chown(join(folder, 'repos'), sandboxUser, sandboxUser);
    const own = {
      hidden: [],
      // By another path than the grant's.
      readOnly: [join(folder, 'link/skills')],
      readOnlyIfPresent: [join(folder, 'repos/.agents/skills')],
    };
    const guarded = processExecutor({ sandbox: bubblewrapSandbox(), environment: {}, own });
    const call = async (script: string) => {
      const run = {
        ...shell,
        capabilities: { exec: ['sh', 'cat'], filesystem: { write: [`${folder}/repos`] } },
      };
      const files = { 'scripts/run.sh': `#!/bin/sh\ncd ${folder}/repos\n${script}\n` };
      const grant = await grantedSkill(run, files, { operator: { filesystem: { write: [folder] } } });
      return (await guarded.execute(grant, command(), never)).outcome;
    };
    await expect(call('echo x > new')).rejects.toMatchObject({
      code: 'CAPABILITY_DENIED',
      message: `subject did not run: the granted path ${folder}/repos contains ${trusted}, which Ambit would trust and which does not exist: create it, so that Ambit can protect it`,
    });
    await mkdir(trusted);
    expect(await call('echo x > new && cat new')).toMatchObject({ output: { stdout: 'x\n' } });
    expect(await call('echo x > skills/new')).toMatchObject({
      stderr: expect.stringContaining('Read-only file system'),
    });
    await mkdir(join(folder, 'repos/.agents/skills'), { recursive: true });
    expect(await call('echo x > .agents/skills/new')).toMatchObject({
      stderr: expect.stringContaining('Read-only file system'),
    });
  });

  test('a granted path that does not exist is refused', async () => {
    const options = { operator: { filesystem: { read: ['/nowhere'] } } };
    await expect(runShell(':', reading(['/nowhere']), options)).rejects.toMatchObject({
      code: 'CAPABILITY_DENIED',
      message:
        'subject did not run: the granted path /nowhere does not exist on this host. Create it, or correct grants.subject.filesystem.read in the configuration',
    });
  });
});

describe('stopping a run', () => {
  const sleeper =
    'import os, sys, time, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nif os.fork() == 0:\n  os.setsid()\ntime.sleep(600)\n';

  test('a run canceled at any moment, even during setup, leaves no process', async () => {
    const grant = await grantedSkill(python, { 'scripts/run.py': sleeper });
    for (let delay = 0; delay < 20; delay += isWhole ? 1 : 4) {
      const controller = new AbortController();
      const call = executor.execute(grant, jsonInput({}), controller.signal);
      setTimeout(() => controller.abort(new Error('stop')), delay);
      expect((await call).outcome).toEqual({ status: 'canceled', reason: 'stop' });
    }
    expect(commandLinesWith(grant.skill.root)).toEqual([]);
  });
});

describe('limits of a run as a whole', () => {
  const withCgroups = test.skipIf(!hasCgroups);

  withCgroups('files in /tmp count toward the memory limit of a run (needs writable cgroups)', async () => {
    const script =
      'import json, sys\nblock = b"x" * (40 * 1048576)\nopen("/tmp/x", "wb").write(block)\nprint(1)\n';
    const files = { 'scripts/run.py': script };
    const small = await grantedSkill({ ...python, limits: { memoryBytes: 64 * 1024 * 1024 } }, files);
    expect((await executor.execute(small, jsonInput({}), never)).outcome).toMatchObject({
      status: 'out-of-memory',
    });
    const enough = await grantedSkill({ ...python, limits: { memoryBytes: 128 * 1024 * 1024 } }, files);
    expect((await executor.execute(enough, jsonInput({}), never)).outcome).toEqual({
      status: 'succeeded',
      output: 1,
    });
  });
});

describe('limits of each process, without cgroups', () => {
  const alone = processExecutor({ sandbox: bubblewrapSandbox({ resourceLimits: null }), environment: {} });
  const run = async (script: string, limits: object) => {
    const grant = await grantedSkill({ ...python, limits }, { 'scripts/run.py': script });
    return alone.execute(grant, jsonInput({}), never);
  };

  test('the memory of each process is limited without cgroups', async () => {
    const script =
      'import sys\ntry: block = b"x" * (48 * 1048576)\nexcept MemoryError: print(1)\nelse: print(2)\n';
    expect((await run(script, { memoryBytes: 32 * 1024 * 1024 })).outcome).toEqual({
      status: 'succeeded',
      output: 1,
    });
    expect((await run(script, { memoryBytes: 128 * 1024 * 1024 })).outcome).toEqual({
      status: 'succeeded',
      output: 2,
    });
  });

  test.skipIf(findHostProgram('node') === undefined)(
    'the memory of each Node process is limited beyond what V8 reserves (needs node in /usr/bin)',
    async () => {
      const taken = async (mebibytes: number) => {
        const node = { ...python, entry: 'run.js', capabilities: { exec: ['node'] } };
        const script = `try { Buffer.alloc(${mebibytes} * 1048576, 1); console.log(2) } catch { console.log(1) }`;
        const grant = await grantedSkill(
          { ...node, limits: { memoryBytes: 128 * 1024 * 1024 } },
          { 'run.js': script },
        );
        return (await alone.execute(grant, jsonInput({}), never)).outcome;
      };
      expect([await taken(32), await taken(1024)]).toEqual([
        { status: 'succeeded', output: 2 },
        { status: 'succeeded', output: 1 },
      ]);
    },
  );

  test('the number of processes is limited without cgroups', async () => {
    const script =
      'import os, signal\nn = 0\ntry:\n  while n < 1000:\n    if os.fork() == 0: signal.pause()\n    n += 1\nexcept BlockingIOError: pass\nprint(n)\n';
    const { outcome } = await run(script, { processes: 20 });
    // As root, namespaces are reused, and the last processes of the previous run may not be reaped
    // yet.
    const most = process.getuid?.() === 0 ? expect.toSatisfy((forks) => forks >= 0 && forks <= 19) : 19;
    expect(outcome).toEqual({ status: 'succeeded', output: most });
  });

  test('CPU time and open files of each process are limited without cgroups, and usage is null', async () => {
    const { outcome, usage } = await run('while True: pass\n', { cpuMs: 1000 });
    expect(outcome).toMatchObject({ status: 'failed', failure: { exitCode: 137 } });
    expect(usage).toMatchObject({ cpuMs: null, memoryPeakBytes: null });
    const files = await run(
      'f = []\ntry:\n  while True: f.append(open("/dev/null"))\nexcept OSError as e: print(str(len(f) < 1024).lower())\n',
      {},
    );
    expect(files.outcome).toEqual({ status: 'succeeded', output: true });
  });
});

describe('a file', () => {
  test.each([
    ['can be written up to fileBytes', 1_000_000, true],
    ['cannot be written beyond fileBytes: the write fails', 1_000_001, 'File too large'],
  ])('%s', async (_, bytes, written) => {
    const folder = await temporaryFolder();
    await chown(folder, sandboxUser, sandboxUser);
    const body = `
try:
  with open(${JSON.stringify(join(folder, 'file'))}, "wb") as file: file.write(b"x" * ${bytes})
  result = True
except OSError as error: result = error.strerror
`;
    const run = {
      capabilities: { exec: ['python3'], filesystem: { write: ['granted'] } },
      limits: { fileBytes: 1_000_000 },
    };
    expect(await runPython(body, run, { operator: { filesystem: { write: [folder] } } })).toEqual({
      status: 'succeeded',
      output: written,
    });
    expect((await stat(join(folder, 'file'))).size).toBe(1_000_000);
  });

  test('a file that grows too large does not kill a shell, which reports the failed write and continues', async () => {
    const run = { limits: { fileBytes: 10 }, capabilities: { exec: ['sh', 'cat'] } };
    expect(await runShell('echo 12345678901 > /tmp/x; cat /tmp/x', run)).toEqual({
      status: 'succeeded',
      output: {
        exitCode: 0,
        stdout: '1234567890',
        stderr: expect.stringMatching(/File too large|I\/O error/),
      },
    });
  });
});

describe('an entry', () => {
  test.each([
    ['shebang', 'scripts/run', '#!/usr/bin/env python3\nprint(1)\n'],
    ['shebang with env -S and options', 'scripts/run', '#!/usr/bin/env -S python3 -u\nprint(1)\n'],
    ['shebang with uv run', 'scripts/run', '#!/usr/bin/env -S uv run --script\nprint(1)\n'],
    ['extension', 'scripts/run.py', 'print(1)\n'],
  ])('the %s of an entry selects its interpreter', async (_, entry, script) => {
    const grant = await grantedSkill({ ...python, entry }, { [entry]: script });
    expect((await executor.execute(grant, jsonInput({}), never)).outcome).toEqual({
      status: 'succeeded',
      output: 1,
    });
  });

  test.each([
    ['that does not exist', 'scripts/none.py', 'does not exist'],
    [
      'without shebang and known extension',
      'scripts/data',
      'has no shebang and no known extension; begin it with a line such as #!/usr/bin/env python3',
    ],
    [
      'whose interpreter is not requested',
      'scripts/run.sh',
      'runs with sh, which ambit.yaml does not request; add sh to run.capabilities.exec',
    ],
  ])('an entry %s is refused', async (_, entry, problem) => {
    const grant = await grantedSkill(
      { ...python, entry },
      { 'scripts/data': 'text', 'scripts/run.sh': 'echo' },
    );
    await expect(executor.execute(grant, jsonInput({}), never)).rejects.toThrow(
      new SkillError('SKILL_INVALID', `subject: entry ${entry} ${problem}`),
    );
  });

  test('an entry that is a symlink out of the skill folder is refused', async () => {
    const outside = await temporaryFolder();
    await writeFile(join(outside, 'evil.py'), 'print(1)');
    const grant = await grantedSkill({ ...python, entry: 'scripts/evil.py' }, { 'scripts/ok.py': '' });
    await symlink(join(outside, 'evil.py'), join(grant.skill.root, 'scripts/evil.py'));
    await expect(executor.execute(grant, jsonInput({}), never)).rejects.toThrow(
      'is a symlink to a file outside the skill folder',
    );
  });

  test('an entry that this machine cannot execute fails with a message, not as a missing sandbox', async () => {
    const entry = 'scripts/compiled';
    const grant = await grantedSkill({ ...python, entry }, { [entry]: '\x7fELF of another machine' });
    expect((await executor.execute(grant, jsonInput({}), never)).outcome).toEqual({
      status: 'failed',
      failure: { exitCode: 126 },
      stderr: 'the program could not be started: this machine cannot execute the file\n',
    });
  });
});

test('without bubblewrap a call is refused with SANDBOX_UNAVAILABLE', async () => {
  const grant = await grantedSkill(python, { 'scripts/run.py': 'print(1)' });
  const without = processExecutor({
    sandbox: bubblewrapSandbox({ file: '/nonexistent/bwrap' }),
    environment: {},
  });
  await expect(without.execute(grant, jsonInput({}), never)).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
  });
});
