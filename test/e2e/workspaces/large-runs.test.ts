// Threat model: T406, T407

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { configuration, get, made, put } from '../support/keeper.ts';

const MiB = 1024 * 1024;

/** Runs the given Python, which may write into a granted folder. */
const writer = {
  'ambit.yaml': JSON.stringify({
    run: {
      runtime: 'process',
      entry: 'scripts/run.py',
      protocol: 'command',
      capabilities: { exec: ['python3'], filesystem: { write: ['workspace', 'granted'] } },
    },
  }),
  'scripts/run.py': 'import sys\nexec(sys.argv[1])\n',
};

interface World {
  cwd: string;
  run(...words: string[]): ReturnType<typeof ambit>;
  daemon: Daemon;
}

/** A folder, and the daemon in which `ambit run` runs calls. */
async function world(settings: object = {}, workspaces: object = {}): Promise<World> {
  const [cwd, dataDir] = [await temporaryFolder(), join(await temporaryFolder(), 'data')];
  const config = { bundledSkills: false, ...(await configuration(workspaces, { writer })), ...settings };
  await writeFile(join(cwd, 'config.yaml'), JSON.stringify({ ...config, dataDir }));
  return {
    cwd,
    run: (...words) => ambit(['run', '--config', 'config.yaml', ...words], { cwd }),
    daemon: await startDaemon(config, { dataDir }),
  };
}

/** Returns the events of workspaces, oldest first, and the workspaces that are left. */
async function workspacesOf(daemon: Daemon) {
  const { body } = await daemon.request(
    'GET',
    '/audit/events?kind=workspace.created,workspace.written,workspace.deleted',
  );
  const left = (await daemon.request('GET', '/workspaces')).body.workspaces;
  return {
    events: body.events.toReversed().map(({ event }: { event: { kind: string } }) => event.kind),
    left,
  };
}

const usedOnce = {
  events: ['workspace.created', 'workspace.written', 'workspace.deleted'],
  left: [],
};

test('ambit run takes and saves a file that is larger than a request and an answer, and leaves no workspace', async () => {
  const { cwd, run, daemon } = await world();
  const content = randomBytes(20 * MiB);
  await writeFile(join(cwd, 'in.bin'), content);
  const code =
    'open("out.bin","wb").write(open("in.bin","rb").read()); open("small","w").write("s"); print(1)';
  const ran = await run('keeper', '--file', 'in.bin', '--save', 'out', '--', code);
  expect(ran).toEqual({
    code: 0,
    stdout: '1\n',
    stderr: `created: out.bin, ${20 * MiB} bytes\ncreated: small, 1 bytes\n`,
  });
  expect((await readFile(join(cwd, 'out/out.bin'))).equals(content)).toBe(true);
  expect((await readdir(join(cwd, 'out'))).toSorted()).toEqual(['out.bin', 'small']);
  expect(await workspacesOf(daemon)).toEqual(usedOnce);
});

test('ambit run takes a folder of more files than a request holds, with its links and modes', async () => {
  const { cwd, run, daemon } = await world();
  await mkdir(join(cwd, 'in'));
  for (let at = 0; at < 1100; at += 1) await writeFile(join(cwd, `in/${at}`), `${at}`);
  await chmod(join(cwd, 'in/7'), 0o755);
  await symlink('7', join(cwd, 'in/link'));
  const code =
    'print(len(os.listdir("in")), os.access("in/7", os.X_OK), os.access("in/8", os.X_OK), os.readlink("in/link"))';
  expect(await run('keeper', '--file', 'in', '--', code)).toEqual({
    code: 0,
    stdout: '1101 True False 7\n',
    stderr: '',
  });
  expect(await workspacesOf(daemon)).toEqual(usedOnce);
});

test('ambit run saves a file that is larger than an answer although the input is small', async () => {
  const { cwd, run, daemon } = await world();
  const code = `open("a/big","wb").truncate(${40 * MiB}); os.chmod("a/big", 0o755)`;
  const ran = await run('keeper', '--save', 'out', '--', `os.mkdir("a"); ${code}`);
  expect(ran).toMatchObject({ code: 0, stderr: `created: a/big, ${40 * MiB} bytes\n` });
  const { size, mode } = await stat(join(cwd, 'out/a/big'));
  expect([size, mode & 0o100]).toEqual([40 * MiB, 0o100]);
  expect(await workspacesOf(daemon)).toMatchObject({ left: [] });
});

test('ambit run says that large files were discarded, and in JSON how to save them or where they are', async () => {
  const { cwd, run } = await world();
  await writeFile(join(cwd, 'in.bin'), Buffer.alloc(12 * MiB));
  const code = `open("big","wb").truncate(${17 * MiB}); open("small","w").write("s")`;
  expect(await run('keeper', '--file', 'in.bin', '--', code)).toEqual({
    code: 0,
    stdout: '',
    stderr: `created: big, ${17 * MiB} bytes\ncreated: small, 1 bytes\nThese files were discarded. To save them, add: --save FOLDER\n`,
  });
  for (const [saving, omitted] of [
    [[], 'too large for this document; to save it, add --save FOLDER'],
    [['--save', 'out'], `too large for this document; it is in ${join(cwd, 'out')}`],
  ] as const) {
    const { stdout, stderr } = await run('keeper', '--json', '--file', 'in.bin', ...saving, '--', code);
    const { files, workspace } = JSON.parse(stdout);
    expect([files, workspace, stderr]).toEqual([
      [
        { path: 'big', change: 'created', bytes: 17 * MiB, omitted },
        { path: 'small', change: 'created', bytes: 1, text: 's' },
      ],
      undefined,
      '',
    ]);
  }
});

test('ambit run saves no large file that a small one could not be: hidden, over an existing file, or through a link', async () => {
  const { cwd, run, daemon } = await world();
  await mkdir(join(cwd, 'out'));
  await writeFile(join(cwd, 'out/old'), 'old');
  await symlink(cwd, join(cwd, 'out/link'));
  const save = (path: string) => {
    const code = `os.path.dirname("${path}") and os.mkdir(os.path.dirname("${path}")); open("${path}","wb").truncate(${17 * MiB})`;
    return run('keeper', '--save', 'out', '--', code);
  };
  for (const [path, why] of [
    ['.envrc', 'tools run commands from hidden files'],
    ['old', 'they exist'],
    ['link/a', 'a symbolic link, a folder or another kind of file is in their place'],
  ] as const)
    expect(await save(path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`refused to save 1 file (${path}): ${why}`),
    });
  expect((await readdir(join(cwd, 'out'))).toSorted()).toEqual(['link', 'old']);
  expect((await save('new')).code).toBe(0);
  expect((await workspacesOf(daemon)).left).toEqual([]);
});

test('ambit run deletes the workspace of a run that fails, and saves what an answer holds', async () => {
  const { cwd, run, daemon } = await world();
  await writeFile(join(cwd, 'in.bin'), Buffer.alloc(12 * MiB));
  const ran = await run(
    'keeper',
    '--file',
    'in.bin',
    '--save',
    'out',
    '--',
    'open("x","w").write("x"); sys.exit(7)',
  );
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('keeper failed with exit code 7.')]);
  expect(await readdir(join(cwd, 'out'))).toEqual(['x']);
  expect(await workspacesOf(daemon)).toEqual(usedOnce);
});

test('ambit run deletes the workspace of a call that is refused', async () => {
  const { cwd, run, daemon } = await world();
  await writeFile(join(cwd, 'in.bin'), Buffer.alloc(12 * MiB));
  const ran = await run('blind', '--file', 'in.bin');
  expect([ran.code, ran.stderr]).toEqual([
    ...[expect.any(Number), expect.stringContaining('INPUT_INVALID: blind requests no workspace')],
  ]);
  expect(await workspacesOf(daemon)).toEqual(usedOnce);
});

test('ambit run deletes the workspace after Ctrl-C', async () => {
  const begun = await temporaryFolder();
  await chmod(begun, 0o777);
  const grants = { writer: { filesystem: { write: [begun] } } };
  const { cwd, daemon } = await world({ grants });
  await writeFile(join(cwd, 'in.bin'), Buffer.alloc(12 * MiB));
  const stop = new AbortController();
  const code = `import time\nopen("${begun}/begun","w"); time.sleep(600)`;
  const running = ambit(
    ['run', '--config', 'config.yaml', 'writer', '--file', 'in.bin', '--timeout', '10m', '--', code],
    { cwd, signal: stop.signal, killWith: 'SIGINT' },
  );
  await until(async () => (await readdir(begun)).length > 0);
  stop.abort();
  expect(await running).toMatchObject({ code: 130, stderr: expect.stringContaining('was canceled') });
  expect(await workspacesOf(daemon)).toEqual(usedOnce);
});

test('ambit skills propose --trial tries a skill with a file that is larger than a request', async () => {
  const { cwd, daemon } = await world();
  await writeFile(join(cwd, 'in.bin'), Buffer.alloc(12 * MiB));
  const code = 'print(os.path.getsize("in.bin"))';
  const tried = await ambit(
    [
      'skills',
      'propose',
      'keeper',
      '--trial',
      '--json',
      '--config',
      'config.yaml',
      '--file',
      'in.bin',
      '--',
      code,
    ],
    { cwd },
  );
  expect(JSON.parse(tried.stdout).trial.outcome).toMatchObject({ status: 'succeeded' });
  expect(await daemon.audit()).toMatchObject([{ skill: { id: 'keeper' }, outcome: 'succeeded' }]);
  expect(await workspacesOf(daemon)).toEqual(usedOnce);
});

test('ambit run runs a skill without a workspace, which has no files to save', async () => {
  const { run, daemon } = await world();
  expect(await run('blind', '--save', 'out')).toEqual({
    code: 0,
    stdout: 'nothing here\n',
    stderr: 'blind has no workspace, so --save has no files to save.\n',
  });
  expect(await workspacesOf(daemon)).toMatchObject({ left: [] });
});

test('ambit run names the settings that limit the files of a run', async () => {
  const { cwd, run, daemon } = await world(
    {},
    { quotaBytes: 2 * MiB, maxQuotaBytes: 16 * MiB, maxFiles: 1200 },
  );
  await writeFile(join(cwd, 'in.bin'), Buffer.alloc(17 * MiB));
  await mkdir(join(cwd, 'in'));
  for (let at = 0; at < 1201; at += 1) await writeFile(join(cwd, `in/${at}`), '');
  expect((await run('keeper', '--file', 'in.bin', '--', '')).stderr).toBe(
    `ambit: USAGE_INVALID: the files of --file have ${17 * MiB} bytes, and the limit is ${16 * MiB}, set by workspaces.maxQuotaBytes. Raise it, or name fewer files\n`,
  );
  expect((await run('keeper', '--file', 'in', '--', '')).stderr).toBe(
    'ambit: USAGE_INVALID: the files of --file have 1201 entries, and the limit is 1200, set by workspaces.maxFiles. Raise it, or name fewer files\n',
  );
  const full = await run('keeper', '--save', 'out', '--', `open("big","wb").truncate(${17 * MiB})`);
  expect([full.code, full.stderr]).toEqual([
    2,
    expect.stringMatching(/1 file could not be saved \(big\): .*raise workspaces\.maxQuotaBytes\n$/),
  ]);
  expect(await workspacesOf(daemon)).toMatchObject({ left: [] });
});

test('a run with --workspace copies large files into that workspace, and saves large files from it', async () => {
  const { cwd, run, daemon } = await world();
  const id = await made(daemon);
  await writeFile(join(cwd, 'in.bin'), Buffer.alloc(12 * MiB, 'in'));
  const code = 'open("out.bin","wb").write(open("in.bin","rb").read() * 2)';
  const ran = await run('keeper', '--workspace', id, '--file', 'in.bin', '--save', 'out', '--', code);
  expect(ran).toMatchObject({ code: 0, stderr: `created: out.bin, ${24 * MiB} bytes\n` });
  expect((await readFile(join(cwd, 'out/out.bin'))).equals(Buffer.alloc(24 * MiB, 'in'))).toBe(true);
  expect((await get(daemon, id, 'in.bin')).body.length).toBe(12 * MiB);
  expect((await workspacesOf(daemon)).left).toMatchObject([{ id, fileCount: 2 }]);
});

test('a run without room for another workspace saves what an answer holds', async () => {
  const { cwd, run, daemon } = await world({}, { maxPerKey: 1 });
  const id = await made(daemon);
  expect((await put(daemon, id, 'a', 'a')).status).toBe(201);
  const small = await run('keeper', '--save', 'out', '--', 'open("small","w").write("s")');
  expect([small.code, await readdir(join(cwd, 'out'))]).toEqual([0, ['small']]);
  const large = await run('keeper', '--save', 'more', '--', `open("big","wb").truncate(${17 * MiB})`);
  expect([large.code, large.stderr]).toEqual([2, expect.stringContaining('1 file could not be saved (big)')]);
  await writeFile(join(cwd, 'in.bin'), Buffer.alloc(12 * MiB));
  expect((await run('keeper', '--file', 'in.bin', '--', '')).stderr).toContain('WORKSPACE_LIMIT');
});
