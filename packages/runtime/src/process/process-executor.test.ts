// Threat model: T1, T35, T38, T52, T84

import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import type { Outcome, RunInput } from '@ambit/core/execute';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { hasCgroups } from '../testing/has-cgroups.ts';
import { grantedSkill, writeFiles } from '../testing/skill-on-disk.ts';
import type { OwnPaths } from './granted-paths.ts';
import { processExecutor } from './process-executor.ts';
import { findHostProgram } from './programs/host-program.ts';
import { bubblewrapSandbox } from './sandbox/bubblewrap/bubblewrap-sandbox.ts';

/** The user who needs access to granted paths: skills of a root daemon run as another user. */
const sandboxUser = process.getuid?.() === 0 ? 61_184 : (process.getuid?.() ?? 0);

const never = new AbortController().signal;
const executor = processExecutor({ sandbox: bubblewrapSandbox(), environment: {} });

const jsonInput: RunInput = { protocol: 'json', value: {} };
const command = (...args: string[]): RunInput => ({ protocol: 'command', args, stdin: '' });

const python = { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] } };
const shell = {
  runtime: 'process',
  entry: 'scripts/run.sh',
  protocol: 'command',
  capabilities: { exec: ['sh', 'ls', 'cat'] },
};

/** Runs a Python skill whose body sets `result`. */
async function runPython(
  body: string,
  run: object = {},
  options: Parameters<typeof grantedSkill>[2] = {},
): Promise<Outcome> {
  const script = `#!/usr/bin/env python3\nimport json, os, sys\n${body}\njson.dump(result, sys.stdout)\n`;
  const grant = await grantedSkill({ ...python, ...run }, { 'scripts/run.py': script }, options);
  return (await executor.execute(grant, jsonInput, never)).outcome;
}

async function runShell(
  script: string,
  run: object = {},
  options: Parameters<typeof grantedSkill>[2] = {},
  by = executor,
): Promise<Outcome> {
  const files = { 'scripts/run.sh': `#!/bin/sh\n${script}\n` };
  const grant = await grantedSkill({ ...shell, ...run }, files, options);
  return (await by.execute(grant, command(), never)).outcome;
}

describe('protocol command', () => {
  test('preserves a byte order mark in stdout', async () => {
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

test('the sandbox contains the granted programs, the libraries and the skill, and nothing else of the host', async () => {
  const outcome = await runPython(
    'result = {d: sorted(os.listdir(d)) for d in ["/", "/usr/bin", "/etc", "/skill", "/tmp"]}',
  );
  const python3 = (await realpath('/usr/bin/python3')).split('/').at(-1);
  const types = existsSync('/etc/mime.types') ? ['mime.types'] : [];
  const git = process.getuid?.() === 0 ? ['gitconfig'] : [];
  expect(outcome).toEqual({
    status: 'succeeded',
    output: {
      '/': expect.not.arrayContaining(['home', 'root', 'sys', 'var', 'run', 'work']),
      '/usr/bin': ['python3', python3],
      '/etc': ['alternatives', ...git, 'group', 'hosts', 'ld.so.cache', ...types, 'nsswitch.conf', 'passwd'],
      '/skill': ['SKILL.md', 'ambit.yaml', 'scripts'],
      '/tmp': [],
    },
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

  /** Runs shell scripts in `folder/repos` that may write a path, with an executor that protects files of Ambit. */
  const guardedShell = (folder: string, own: OwnPaths) => {
    const guarded = processExecutor({ sandbox: bubblewrapSandbox(), environment: {}, own });
    return (script: string, path = `${folder}/repos`): Promise<Outcome> => {
      const run = { capabilities: { exec: ['sh', 'cat', 'rm'], filesystem: { write: [path] } } };
      const options = { operator: { filesystem: { write: [folder] } } };
      return runShell(`cd ${folder}/repos\n${script}`, run, options, guarded);
    };
  };

  test('a path granted for writing is written on the host', async () => {
    const folder = await hostFolder();
    const run = { capabilities: { exec: ['sh'], filesystem: { write: [`${folder}/repos/a`] } } };
    const options = { operator: { filesystem: { write: [`${folder}/repos`] } } };
    if (process.getuid?.() === 0) {
      await expect(runShell(':', run, options)).rejects.toThrow(`chown -R 61184 ${folder}/repos/a`);
      for (const path of ['repos/a', 'repos/a/file']) await chown(join(folder, path), 61_184, 61_184);
    }
    await runShell(`echo new > ${folder}/repos/a/file`, run, options);
    expect(await readFile(join(folder, 'repos/a/file'), 'utf8')).toBe('new\n');
  });

  test('a granted folder that contains Ambit’s own files is granted without them', async () => {
    const folder = await hostFolder();
    await writeFiles(folder, { 'repos/.ambit/key': 'canary', 'repos/ambit.config.yaml': 'grants: {}' });
    for (const path of ['repos', 'repos/.ambit', 'repos/ambit.config.yaml'])
      await chown(join(folder, path), sandboxUser, sandboxUser);
    const own = { hidden: [`${folder}/repos/.ambit`], readOnly: [`${folder}/repos/ambit.config.yaml`] };
    const call = guardedShell(folder, own);
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
      "is in one of Ambit's own folders, which hold its keys, the audit log and its socket",
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
    const call = guardedShell(folder, own);
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
    const filesystem = { read: ['/nowhere'] };
    const run = { capabilities: { exec: ['sh'], filesystem } };
    await expect(runShell(':', run, { operator: { filesystem } })).rejects.toMatchObject({
      code: 'CAPABILITY_DENIED',
      message:
        'subject did not run: the granted path /nowhere does not exist on this host. Create it, or correct grants.subject.filesystem.read in the configuration',
    });
  });
});

test.each([
  [64, { '/tmp': 32, '/workspace': 64, '/dev/shm': 32 }],
  [512, { '/tmp': 256, '/workspace': 512, '/dev/shm': 64 }],
])('a run with %d MiB has private folders of these sizes: %j', async (mebibytes, sizes) => {
  const body =
    'result = {d: os.statvfs(d).f_blocks * os.statvfs(d).f_frsize // 1048576 for d in ["/tmp", "/workspace", "/dev/shm"]}';
  const run = {
    capabilities: { exec: ['python3'], filesystem: { write: ['workspace'] } },
    limits: { memoryBytes: mebibytes * 1024 * 1024 },
  };
  expect(await runPython(body, run)).toEqual({ status: 'succeeded', output: sizes });
});

test.skipIf(!hasCgroups)(
  'files in /tmp count toward the memory limit of a run, and take half of it (needs writable cgroups)',
  async () => {
    const within = (mebibytes: number, written: number) => {
      const body = `open("/tmp/x", "wb").write(b"x" * (${written} * 1048576)); result = 1`;
      return runPython(body, { limits: { memoryBytes: mebibytes * 1024 * 1024 } });
    };
    expect(await within(64, 31)).toMatchObject({ status: 'out-of-memory' });
    expect(await within(128, 31)).toEqual({ status: 'succeeded', output: 1 });
    // In pieces, so that only the file takes memory.
    const filled = (mebibytes: number, written: number) => {
      const body = `file = open("/tmp/x", "wb")\nfor _ in range(${written}): file.write(b"x" * 1048576)\nresult = 1`;
      return runPython(body, { limits: { memoryBytes: mebibytes * 1024 * 1024 } });
    };
    const stderr = expect.stringContaining('No space left on device');
    expect(await filled(64, 33)).toMatchObject({ status: 'failed', stderr });
    expect(await filled(128, 33)).toEqual({ status: 'succeeded', output: 1 });
  },
);

test.skipIf(findHostProgram('node') === undefined)(
  'without cgroups, the memory of each Node process is limited beyond what V8 reserves (needs node in /usr/bin)',
  async () => {
    const alone = processExecutor({ sandbox: bubblewrapSandbox({ resourceLimits: null }), environment: {} });
    const node = { ...python, entry: 'run.js', capabilities: { exec: ['node'] } };
    const taken = async (mebibytes: number) => {
      const script = `try { Buffer.alloc(${mebibytes} * 1048576, 1); console.log(2) } catch { console.log(1) }`;
      const run = { ...node, limits: { memoryBytes: 128 * 1024 * 1024 } };
      const grant = await grantedSkill(run, { 'run.js': script });
      return (await alone.execute(grant, jsonInput, never)).outcome;
    };
    expect([await taken(32), await taken(1024)]).toEqual([
      { status: 'succeeded', output: 2 },
      { status: 'succeeded', output: 1 },
    ]);
  },
);

describe('an entry', () => {
  test.each([
    ['shebang', 'scripts/run', '#!/usr/bin/env python3\nprint(1)\n'],
    ['shebang with env -S and options', 'scripts/run', '#!/usr/bin/env -S python3 -u\nprint(1)\n'],
    ['shebang with uv run', 'scripts/run', '#!/usr/bin/env -S uv run --script\nprint(1)\n'],
    ['extension', 'scripts/run.py', 'print(1)\n'],
  ])('the %s of an entry selects its interpreter', async (_, entry, script) => {
    const grant = await grantedSkill({ ...python, entry }, { [entry]: script });
    expect((await executor.execute(grant, jsonInput, never)).outcome).toEqual({
      status: 'succeeded',
      output: 1,
    });
  });

  test.each([
    ['that does not exist', 'scripts/none.py', 'does not exist'],
    ['that is a folder', 'scripts', 'is not a file'],
    [
      'without shebang and known extension',
      'scripts/data',
      'has no shebang and no known extension; begin it with a line such as #!/usr/bin/env python3',
    ],
    [
      'whose interpreter is not requested',
      'scripts/run.sh',
      'runs with bash, which ambit.yaml does not request; add bash to run.capabilities.exec',
    ],
  ])('an entry %s is refused', async (_, entry, problem) => {
    const grant = await grantedSkill(
      { ...python, entry },
      { 'scripts/data': 'text', 'scripts/run.sh': 'echo' },
    );
    await expect(executor.execute(grant, jsonInput, never)).rejects.toThrow(
      new SkillError('SKILL_INVALID', `subject: entry ${entry} ${problem}`),
    );
  });

  test('an entry that this machine cannot execute fails with a message, not as a missing sandbox', async () => {
    const entry = 'scripts/compiled';
    const grant = await grantedSkill({ ...python, entry }, { [entry]: '\x7fELF of another machine' });
    expect((await executor.execute(grant, jsonInput, never)).outcome).toEqual({
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
  await expect(without.execute(grant, jsonInput, never)).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
  });
});
