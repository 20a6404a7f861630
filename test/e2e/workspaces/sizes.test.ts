// Threat model: T327, T329, T416

import { createHash } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { ambit, daemonProcess } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { configuration, get, keep, made, put, raw, shared, start } from '../support/keeper.ts';

const MiB = 1024 * 1024;
const sharedByAll = shared();

/** Starts a new measurement of the most memory that a process has held. */
async function peakFromNow(pid: number): Promise<() => Promise<number>> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  const field = async (name: string): Promise<number> =>
    1024 *
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
  const before = await field('VmRSS');
  return async () => (await field('VmHWM')) - before;
}

/** Sends `mebibytes` of one byte each that are never in memory together. */
async function putLarge(
  daemon: Parameters<typeof put>[0],
  place: string,
  mebibytes: number,
): Promise<string> {
  const digest = createHash('sha256');
  const parts = Array.from({ length: mebibytes }, (_, at) => at);
  const body = Readable.from(
    (async function* () {
      for (const at of parts) {
        const part = Buffer.alloc(MiB, at);
        digest.update(part);
        yield part;
      }
    })(),
  );
  const status = await new Promise((resolve, reject) => {
    const sending = request(
      `${daemon.url}${place}`,
      {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${daemon.key}`,
          'content-type': 'application/octet-stream',
          'content-length': mebibytes * MiB,
        },
      },
      (response) => response.resume().on('end', () => resolve(response.statusCode)),
    ).on('error', reject);
    body.pipe(sending);
  });
  expect(status).toBe(201);
  return digest.digest('hex');
}

test('a workspace of 256 MiB goes in and out of runs, and the daemon holds only parts of it', async () => {
  const settings = { limits: { memoryBytes: 1024 * MiB, fileBytes: 512 * MiB } };
  const folder = await temporaryFolder();
  const config = { ...(await configuration({ quotaBytes: 256 * MiB })), ...settings };
  const daemon = await daemonProcess(folder, config);
  try {
    const id = await made(daemon);
    // What is loaded when it is first needed is not counted.
    await put(daemon, id, 'first', Buffer.alloc(3 * MiB));
    await keep(daemon, id, 'open("second","wb").write(open("first","rb").read()); os.remove("first")');
    await get(daemon, id, 'second');
    await keep(daemon, id, 'os.remove("second")');
    const peak = await peakFromNow(daemon.pid);
    const sha256 = await putLarge(daemon, `/workspaces/${id}/files/in`, 256);
    const limits = { timeoutMs: 120_000 };
    const moved = await keep(daemon, id, 'os.rename("in", "out")', { limits });
    expect(moved.body).toMatchObject({
      workspace: { stored: true, usedBytes: 256 * MiB },
      files: [
        { path: 'in', change: 'deleted' },
        { path: 'out', change: 'created', bytes: 256 * MiB, sha256 },
      ],
    });
    const written = await keep(daemon, id, 'f = open("out","r+b"); f.write(b"new")', { limits });
    expect(written.body).toMatchObject({ workspace: { stored: true }, files: [{ change: 'changed' }] });
    const digest = createHash('sha256');
    await new Promise((resolve, reject) => {
      const options = { headers: { authorization: `Bearer ${daemon.key}` } };
      request(`${daemon.url}/workspaces/${id}/files/out`, options, (response) =>
        response.on('data', (part: Buffer) => digest.update(part)).on('end', resolve),
      )
        .on('error', reject)
        .end();
    });
    expect(digest.digest('hex')).toBe(written.body.files[0].sha256);
    // Some 30 MiB on a quiet machine. On a busy one, garbage is collected later.
    expect(await peak()).toBeLessThan(128 * MiB);
    const range = await get(daemon, id, 'out', { range: `bytes=${200 * MiB}-${200 * MiB + 2}` });
    expect([range.status, range.headers['content-range'], range.body]).toEqual([
      206,
      `bytes ${200 * MiB}-${200 * MiB + 2}/${256 * MiB}`,
      Buffer.alloc(3, 200),
    ]);
    expect((await get(daemon, id, 'out', { range: 'bytes=-3' })).body).toEqual(Buffer.alloc(3, 255));
    expect((await get(daemon, id, 'out', { range: `bytes=${256 * MiB}-` })).status).toBe(400);
    expect((await put(daemon, id, 'one', 'more')).body.toString()).toContain('its quota is 268435456');
  } finally {
    await daemon.stop();
  }
});

test('a folder of 17,000 files goes in and out of a run, and the operator limits their number', async () => {
  const daemon = await start();
  const id = await made(daemon);
  const limits = { timeoutMs: 120_000, memoryBytes: 512 * MiB };
  const make =
    'for i in range(170):\n os.makedirs(f"m/{i}")\n for j in range(100): open(f"m/{i}/{j}","w").write(f"{i} {j}")';
  const first = await keep(daemon, id, make, { limits });
  expect(first.body.workspace).toMatchObject({ stored: true });
  const again = await keep(
    daemon,
    id,
    'n = sum(len(f) for _, _, f in os.walk("m")); print(n); open("m/7/7","w").write("new")',
    { limits },
  );
  expect(again.body).toMatchObject({
    outcome: { output: { stdout: '17000\n' } },
    workspace: { stored: true },
    files: [{ path: 'm/7/7', change: 'changed' }],
  });
  const full = await keep(daemon, id, 'for i in range(3000): open(f"x{i}","w")', { limits });
  expect(full.body.workspace).toMatchObject({
    stored: false,
    why: expect.stringContaining('the limit set by workspaces.maxFiles'),
  });
});

test('the command line copies a folder into a workspace in one step, with its links and modes', async () => {
  const daemon = await start();
  const cwd = await temporaryFolder(
    Object.fromEntries(
      Array.from({ length: 1200 }, (_, at) => [`in/${'d'.repeat(60)}/${'ü'.repeat(50)}${at}`, `${at}`]),
    ),
  );
  await writeFile(join(cwd, 'in/big'), Buffer.alloc(9 * MiB, 'big'));
  await writeFile(join(cwd, 'in/tool'), 'tool', { mode: 0o755 });
  await symlink('tool', join(cwd, 'in/near'));
  await mkdir(join(cwd, 'in/empty'));
  const id = await made(daemon);
  const run = (...words: string[]) => ambit([...words, '--data-dir', daemon.dataDir], { cwd });
  expect(await run('workspace', 'put', id, 'in', '.')).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(
      /^Copied 1202 files, 1 link, 1 empty folder into \S+, which has \d+ bytes\.\n$/,
    ),
  });
  const body =
    'print(sum(len(f) for _, _, f in os.walk(".")), os.path.getsize("big"), os.access("tool", os.X_OK), os.readlink("near"), os.listdir("empty"))';
  expect((await keep(daemon, id, body)).body.outcome.output.stdout).toBe(`1203 ${9 * MiB} True tool []\n`);
  expect((await run('workspace', 'get', id, 'big', '--save', 'out')).code).toBe(0);
  expect(await readFile(join(cwd, 'out/big'))).toEqual(Buffer.alloc(9 * MiB, 'big'));
});

test.each([
  ['a link that leads out', ['a', 'SYMTYPE', '../x'], 'is a link that leads out of the workspace'],
  ['a path that leads out', ['../a', 'REGTYPE', ''], 'is not a valid path in a workspace'],
  ['an absolute path', ['/a', 'REGTYPE', ''], 'is not a valid path in a workspace'],
  ['a hard link', ['a', 'LNKTYPE', 'b'], 'is a hard link; leave it out'],
  ['a device', ['a', 'CHRTYPE', ''], 'is a device; leave it out'],
  ['a file below a link', ['l/a', 'REGTYPE', ''], 'is both a file and the folder of another file'],
])('an archive with %s is refused as a whole', async (_, [path, type, link], why) => {
  const daemon = sharedByAll();
  const id = await made(daemon);
  const make = (names: string) =>
    `import io, tarfile\nout = io.BytesIO()\nt = tarfile.open(fileobj=out, mode="w")\nfor name, kind, link in ${names}:\n i = tarfile.TarInfo(name); i.type = getattr(tarfile, kind); i.linkname = link; t.addfile(i, io.BytesIO())\nt.close()\nopen("t.tar","wb").write(out.getvalue())`;
  const archive = async (names: unknown[]) => {
    const made = await daemon.execute('keeper', { args: [make(JSON.stringify(names))] });
    return raw(daemon, 'PUT', `/workspaces/${id}/files`, {
      body: Buffer.from(made.body.files[0].base64 ?? made.body.files[0].text, 'base64'),
    });
  };
  const good = ['l', 'SYMTYPE', 'ok'];
  const refused = await archive([['ok', 'REGTYPE', ''], good, [path, type, link]]);
  expect(JSON.parse(refused.body.toString())).toMatchObject({
    code: 'INPUT_INVALID',
    detail: expect.stringContaining(why),
  });
  expect((await daemon.request('GET', `/workspaces/${id}`)).body.files).toEqual([]);
  expect((await archive([['ok', 'REGTYPE', ''], good])).status).toBe(200);
});

test('the total of all workspaces is the operator’s, and the refusal names the setting', async () => {
  const daemon = await start({ maxTotalBytes: 3 * MiB });
  const [one, other] = [await made(daemon), await made(daemon)];
  expect((await put(daemon, one, 'a', Buffer.alloc(2 * MiB))).status).toBe(201);
  const refused = await put(daemon, other, 'a', Buffer.alloc(2 * MiB));
  expect(JSON.parse(refused.body.toString())).toMatchObject({
    code: 'WORKSPACE_FULL',
    detail: expect.stringContaining('the limit is 3145728, set by workspaces.maxTotalBytes'),
  });
  const run = await keep(daemon, other, 'open("a","wb").write(bytes(2 << 20))');
  expect(run.body.workspace).toMatchObject({ stored: false, why: expect.stringContaining('maxTotalBytes') });
  expect((await put(daemon, other, 'a', Buffer.alloc(MiB))).status).toBe(201);
  expect((await raw(daemon, 'DELETE', `/workspaces/${one}`)).status).toBe(204);
  expect((await put(daemon, other, 'b', Buffer.alloc(2 * MiB))).status).toBe(201);
});

test('changes of several workspaces at the same time stay within the total, and what is left of it can be used', async () => {
  const total = 8 * MiB;
  const daemon = await start({ maxTotalBytes: total });
  const places = await Promise.all([1, 2, 3, 4, 5, 6].map(() => made(daemon)));
  const sent = (place: string, at: number) => put(daemon, place, 'a', Buffer.alloc(3 * MiB, at + 1));
  const usedBytes = async () => {
    const { workspaces } = (await daemon.request('GET', '/workspaces')).body;
    return workspaces.reduce((sum: number, each: { usedBytes: number }) => sum + each.usedBytes, 0);
  };
  const together = await Promise.all(places.map(sent));
  expect(await usedBytes()).toBeLessThanOrEqual(total);
  expect(together.map(({ status }) => status).filter((status) => status !== 201 && status !== 413)).toEqual(
    [],
  );
  for (const [at, place] of places.entries()) await sent(place, at);
  expect(await usedBytes()).toBe(6 * MiB);
});

test('uploads that arrive slowly take a bounded part of the disk, and what ends frees its part', async () => {
  const daemon = sharedByAll();
  const id = await made(daemon);
  /** An archive of unknown length, which counts as the longest. */
  const archive = (onStatus?: (status: number | undefined) => void) =>
    request(
      `${daemon.url}/workspaces/${id}/files`,
      {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${daemon.key}`,
          'content-type': 'application/octet-stream',
          'transfer-encoding': 'chunked',
        },
      },
      (response) => response.resume().on('end', () => onStatus?.(response.statusCode)),
    );
  const sent = () =>
    new Promise((resolve, reject) => {
      archive(resolve).on('error', reject).end(Buffer.alloc(1024));
    });
  expect(await sent()).toBe(200);
  const slow = Array.from({ length: 3 }, () => archive().on('error', () => undefined));
  for (const each of slow) each.write(Buffer.alloc(512));
  await until(async () => (await sent()) === 503);
  for (const each of slow) each.destroy();
  await until(async () => (await sent()) === 200);
});
