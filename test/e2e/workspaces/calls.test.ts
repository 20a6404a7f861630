// Threat model: T327, T329, T330

// Tests that stop, restart or configure a daemon start their own; the others share one.

import { watch } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { ambit, daemonProcess } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';
import { configuration, contents, get, keep, made, put, raw, shared } from '../support/keeper.ts';

const sharedByAll = shared();

describe('a call in a workspace', () => {
  test('sees the files of the workspace and preserves its changes, also across a restart, and the log verifies', async () => {
    const folder = await temporaryFolder();
    const first = await daemonProcess(folder, await configuration());
    const made = await first.request('POST', '/workspaces', { body: { label: 'mine' } });
    expect(made).toMatchObject({
      status: 201,
      body: { label: 'mine', quotaBytes: 64 * 1024 * 1024, usedBytes: 0, fileCount: 0, files: [] },
    });
    const { id } = made.body;
    expect((await put(first, id, 'in/given.bin', Buffer.from([0, 255, 10]))).status).toBe(201);
    const ran = await keep(
      first,
      id,
      'assert open("in/given.bin","rb").read() == bytes([0,255,10]); open("out","w").write("one"); open("gone","w")',
    );
    expect(ran.body).toMatchObject({
      outcome: { status: 'succeeded' },
      files: [
        { path: 'gone', change: 'created', bytes: 0, sha256: expect.stringMatching(/^e3b0c442/) },
        { path: 'out', change: 'created', bytes: 3, sha256: expect.stringMatching(/^7692c3ad/) },
      ],
      workspace: { id, stored: true, usedBytes: 6 },
    });
    expect(ran.body.files.some((file: object) => 'text' in file || 'base64' in file)).toBe(false);
    await first.stop();
    const second = await daemonProcess(folder, await configuration());
    try {
      const again = await keep(second, id, 'open("out","a").write(" two"); os.remove("gone")', {
        fileContents: true,
      });
      expect(again.body.files).toEqual([
        { path: 'gone', change: 'deleted', bytes: 0 },
        { path: 'out', change: 'changed', bytes: 7, text: 'one two' },
      ]);
      expect(await contents(second, id)).toEqual({
        'in/given.bin': Buffer.from([0, 255, 10]).toString(),
        out: 'one two',
      });
      const records = await second.audit('?skill=keeper');
      expect(records.map(({ workspace }) => workspace.id)).toEqual([id, id]);
      expect(records[0].workspace.before).toBe(records[1].workspace.after);
      expect(records[0].workspace.after).not.toBe(records[0].workspace.before);
      await raw(second, 'DELETE', `/workspaces/${id}/files/out`);
      await raw(second, 'DELETE', `/workspaces/${id}`);
    } finally {
      await second.stop();
    }
    const log = await ambit(['audit', 'verify', '--json', '--data-dir', second.dataDir]);
    expect(JSON.parse(log.stdout)).toMatchObject({ intact: true });
  });

  test('adds its own files, which replace stored ones and are preserved', async () => {
    const daemon = sharedByAll();
    const id = await made(daemon);
    await put(daemon, id, 'a', 'kept');
    const { body } = await keep(daemon, id, 'print(open("a").read(), open("b").read())', {
      files: [
        { path: 'a', text: 'brought' },
        { path: 'b', text: 'too' },
      ],
    });
    expect(body.outcome.output.stdout).toBe('brought too\n');
    expect(await contents(daemon, id)).toEqual({ a: 'brought', b: 'too' });
  });

  test.each([
    ['fails', 'sys.exit(1)', 'the run did not succeed: failed'],
    ['times out', 'while True: pass', 'the run did not succeed: timed-out'],
    ['leaves more than the quota', 'open("b","w").write("x" * 101)', 'its quota is 100'],
    ['leaves a name that is no UTF-8', 'open(b"b\\xff", "w")', 'is not a name in UTF-8'],
    ['leaves a name with a line break', 'open("b\\n", "w")', 'is not a valid path in a workspace'],
    [
      'leaves a sparse giant',
      'os.truncate(os.open("b", os.O_CREAT|os.O_RDWR), 1 << 26)',
      'over the limit of',
    ],
    ['leaves too many files', '[open(str(i), "w").close() for i in range(20001)]', 'are left out'],
    ['nests too deep', '[(os.mkdir("d"), os.chdir("d")) for i in range(40)]', 'nested more than 32 deep'],
  ])('that %s leaves the workspace unchanged and says why', async (_, body, why) => {
    const daemon = sharedByAll();
    const id = await made(daemon, { quotaBytes: 100 });
    await put(daemon, id, 'a', 'old');
    const ran = await keep(daemon, id, `open("a","w").write("changed")\n${body}`, {
      limits: { timeoutMs: why.includes('timed-out') ? 3000 : 60_000 },
    });
    expect(ran.body.workspace).toEqual({ id, stored: false, why: expect.stringContaining(why) });
    expect(await contents(daemon, id)).toEqual({ a: 'old' });
    const [record] = await daemon.audit('?skill=keeper');
    expect(record.workspace.before).toBe(record.workspace.after);
    expect((await keep(daemon, id, 'open("a","w").write("changed")')).body.workspace.stored).toBe(true);
    expect(await contents(daemon, id)).toEqual({ a: 'changed' });
  });

  test('preserves links within the workspace, modes and empty folders, and names what it leaves out', async () => {
    const daemon = sharedByAll();
    const id = await made(daemon);
    await put(daemon, id, 'given', 'x');
    const ran = await keep(
      daemon,
      id,
      [
        'os.makedirs("a/deep"); os.mkdir("empty"); open("a/run","w").write("#!/usr/bin/python3\\nprint(\'ran\')")',
        'os.chmod("a/run", 0o755); os.symlink("run", "a/near"); os.symlink("../a/near", "a/up")',
        'os.symlink("/etc/passwd", "absolute"); os.symlink("../..", "a/out"); os.symlink("a/up/../..", "behind")',
        'os.mkfifo("fifo"); os.remove("given"); os.symlink("/", "given"); os.link("a/run", "hard")',
      ].join('\n'),
    );
    const why = 'not a regular file but a symbolic link that leads out of the workspace';
    const leftOut = [
      { path: 'a/out', why },
      { path: 'absolute', why },
      { path: 'behind', why },
      { path: 'fifo', why: 'not a regular file but a FIFO' },
      { path: 'given', why },
    ];
    expect(ran.body.workspace).toEqual({ id, stored: true, usedBytes: 62, leftOut });
    expect(ran.body.files).toContainEqual({
      path: 'given',
      change: 'changed',
      bytes: 0,
      omitted: why,
      leftOut: true,
    });
    const [record] = await daemon.audit('?skill=keeper');
    expect(record.workspace.leftOut).toEqual(leftOut);
    const shown = (await daemon.request('GET', `/workspaces/${id}`)).body;
    expect(shown).toMatchObject({
      files: [
        { path: 'a/run', executable: true },
        { path: 'hard', executable: true },
      ],
      links: [
        { path: 'a/near', link: 'run' },
        { path: 'a/up', link: '../a/near' },
      ],
      folders: ['a/deep', 'empty'],
    });
    const again = await keep(
      daemon,
      id,
      'import subprocess; ran = lambda path: subprocess.check_output([path], text=True); print(ran("a/up"), os.listdir("empty"), os.path.isdir("a/deep")); os.rmdir("empty"); open("a/near","w").write("new")',
    );
    expect(again.body.outcome.output.stdout).toBe('ran\n [] True\n');
    expect(again.body.files).toMatchObject([
      { path: 'a/run', change: 'changed', bytes: 3, executable: true },
      { path: 'empty', change: 'deleted', folder: true },
    ]);
    expect((await get(daemon, id, 'a/near')).status).toBe(404);
    expect((await put(daemon, id, 'a/near/below', 'x')).status).toBe(422);
    expect((await put(daemon, id, 'a/near', 'a file now')).status).toBe(201);
    expect((await get(daemon, id, 'a/run')).body.toString()).toBe('new');
  });

  test('is refused if the workspace belongs to another key or the skill has none', async () => {
    const daemon = sharedByAll();
    const id = await made(daemon);
    const bot = await withKey(daemon, 'bot', { scopes: ['skills:execute'] });
    const body = { args: ['open("a","w")'], workspace: id };
    const other = (method: string, path: string, sent?: object) =>
      bot.request(method, path, { ...(sent && { body: sent }) });
    for (const answer of [
      await other('POST', '/skills/keeper/execute', body),
      await other('GET', `/workspaces/${id}`),
      await other('DELETE', `/workspaces/${id}`),
      await other('GET', `/workspaces/${id}/files/a`),
    ])
      expect(answer).toMatchObject({ status: 404, body: { code: 'WORKSPACE_NOT_FOUND' } });
    expect((await other('GET', '/workspaces')).body).toEqual({ workspaces: [] });
    expect(await daemon.execute('blind', { workspace: id })).toMatchObject({
      status: 422,
      body: { code: 'INPUT_INVALID', detail: expect.stringContaining('blind requests no workspace') },
    });
    const narrowed = { ...body, capabilities: { filesystem: { write: [] } } };
    expect(await daemon.execute('keeper', narrowed)).toMatchObject({
      status: 403,
      body: { code: 'CAPABILITY_DENIED' },
    });
    expect(await daemon.execute('keeper', body)).toMatchObject({
      status: 200,
      body: { workspace: { stored: true } },
    });
  });

  test('runs without an optional workspace if the skill has none, and otherwise in it', async () => {
    const daemon = sharedByAll();
    const id = await made(daemon);
    const optional = { workspace: id, workspaceOptional: true };
    const blind = await daemon.execute('blind', optional);
    expect([blind.status, blind.body.outcome.output.stdout, blind.body.workspace]).toEqual([
      ...[200, 'nothing here\n', undefined],
    ]);
    const body = { args: ['open("a","w")'], ...optional };
    const narrowed = { ...body, args: ['print(1)'], capabilities: { filesystem: { write: [] } } };
    expect((await daemon.execute('keeper', narrowed)).body).toMatchObject({
      outcome: { status: 'succeeded' },
    });
    expect((await daemon.request('GET', `/workspaces/${id}`)).body.fileCount).toBe(0);
    expect((await daemon.execute('keeper', body)).body.workspace).toMatchObject({ id, stored: true });
    const bot = await withKey(daemon, 'guest', { scopes: ['skills:execute'] });
    expect(await bot.request('POST', '/skills/keeper/execute', { body })).toMatchObject({
      status: 404,
      body: { code: 'WORKSPACE_NOT_FOUND' },
    });
  });

  test('is refused if it brings files but is granted no workspace, and they are not lost', async () => {
    const daemon = sharedByAll();
    const files = [{ path: 'a', text: 'x' }];
    const capabilities = { filesystem: { write: [] } };
    expect(await daemon.execute('keeper', { args: ['pass'], files, capabilities })).toMatchObject({
      status: 403,
      body: { code: 'CAPABILITY_DENIED' },
    });
    for (const body of [
      { args: ['pass'], files },
      { args: ['pass'], capabilities },
    ])
      expect(await daemon.execute('keeper', body)).toMatchObject({
        status: 200,
        body: { outcome: { status: 'succeeded' } },
      });
  });

  test('of a chain shares it among all its calls', async () => {
    const daemon = sharedByAll();
    const id = await made(daemon);
    const step = (body: string) => ({ skill: 'keeper', args: [body] });
    const { body } = await daemon.request('POST', '/chain', {
      body: {
        workspace: id,
        files: [{ path: 'a', text: '1' }],
        steps: [step('open("b","w").write(open("a").read() + "2")'), step('print(open("b").read(), end="")')],
      },
    });
    expect(body.outcome).toMatchObject({ status: 'succeeded', output: { stdout: '12' } });
    expect(body.links.map(({ workspace }: { workspace: object }) => workspace)).toEqual([
      { id, stored: true, usedBytes: 3 },
      { id, stored: true, usedBytes: 3 },
    ]);
  });
});

test.each(isWhole ? [1, 4] : [4])(
  "a daemon that is killed at the %ith step of storing a run's files has the old state or the new one",
  async (signs) => {
    const [folder, config] = [await temporaryFolder(), await configuration()];
    const daemon = await daemonProcess(folder, config);
    const id = await made(daemon);
    await put(daemon, id, 'state', 'old');
    const keeping = Promise.withResolvers<void>();
    let seen = 0;
    // The store writes its log of changes at each step.
    const watcher = watch(join(daemon.dataDir, 'store.db-wal'), () => {
      seen += 1;
      if (seen === signs) keeping.resolve();
    });
    const body = 'open("state","w").write("new")\nfor i in range(60): open(f"f{i}","w").write(f"new {i}")';
    const call = keep(daemon, id, body).catch(() => 'it died');
    await Promise.race([keeping.promise, call]);
    await daemon.stop('SIGKILL');
    watcher.close();
    await call;
    const after = await daemonProcess(folder, config);
    try {
      const found = await contents(after, id);
      const isNew = found['state'] === 'new';
      const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, `new ${i}`]));
      expect(found).toEqual(isNew ? { state: 'new', ...files } : { state: 'old' });
    } finally {
      await after.stop('SIGKILL');
    }
  },
);

test('the command line creates a workspace, fills it, runs in it and saves its files', async () => {
  const daemon = sharedByAll();
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'in.txt'), 'given');
  const run = (...words: string[]) => ambit([...words, '--data-dir', daemon.dataDir], { cwd });
  const id = (await run('workspace', 'create')).stdout.trim();
  expect((await run('workspace', 'put', id, 'in.txt', 'a/in')).code).toBe(0);
  const body = 'open("out","w").write(open("a/in").read().upper())';
  const ran = await ambit(['run', 'keeper', '--workspace', id, '--data-dir', daemon.dataDir, '--', body], {
    cwd,
  });
  expect(ran).toEqual({ code: 0, stdout: '', stderr: 'created: out, 5 bytes\n' });
  expect((await run('workspace', 'get', id, '--save', 'taken')).code).toBe(0);
  expect(await readFile(join(cwd, 'taken/out'), 'utf8')).toBe('GIVEN');
  expect((await run('workspace', 'remove', id)).code).toBe(0);
  expect(await run('workspace', 'list', id)).toMatchObject({ code: 3, stdout: '' });
});

test('the command line sends and saves links, modes and empty folders, and never creates or follows a link', async () => {
  const daemon = sharedByAll();
  const cwd = await temporaryFolder({
    'in/tool': '#!/usr/bin/python3\nprint(1)',
    'victim/file': 'untouched',
  });
  await chmod(join(cwd, 'in/tool'), 0o755);
  await symlink('tool', join(cwd, 'in/near'));
  await mkdir(join(cwd, 'in/empty'));
  await mkdir(join(cwd, 'out'));
  await symlink('../victim', join(cwd, 'out/linked'));
  const run = (folder: string, body: string, ...more: string[]) =>
    ambit(['run', 'keeper', ...more, '--save', folder, '--data-dir', daemon.dataDir, '--', body], { cwd });
  const made = await run(
    'fresh',
    'import subprocess; ran = lambda path: subprocess.check_output([path], text=True); os.chdir("in"); print(ran("./near"), os.listdir("empty")); os.mkdir("new"); os.symlink("tool", "l"); open("x","w"); os.chmod("x", 0o755)',
    '--file',
    'in',
  );
  expect(made).toEqual({
    code: 0,
    stdout: '1\n []\n',
    stderr: [
      'Not saved: 1 symbolic link. Links are never created:',
      '  in/l -> tool',
      'created: in/l -> tool',
      'created: in/new/',
      'created: in/x, 0 bytes',
      '',
    ].join('\n'),
  });
  expect(await readdir(join(cwd, 'fresh/in'))).toEqual(['new', 'x']);
  expect((await stat(join(cwd, 'fresh/in/x'))).mode & 0o100).toBe(0o100);
  const through = await run(
    'out',
    'os.mkdir("linked"); open("linked/file","w").write("taken over")',
    '--overwrite',
  );
  expect(through.stderr).toContain('refused to save 1 file (linked/file): a symbolic link');
  const folder = await run('out', 'os.makedirs("linked/new")', '--overwrite');
  expect(folder.stderr).toContain('refused to save 1 file (linked/new): a symbolic link');
  expect(await readdir(join(cwd, 'victim'))).toEqual(['file']);
  expect(await readFile(join(cwd, 'victim/file'), 'utf8')).toBe('untouched');
});
