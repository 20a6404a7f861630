// Threat model: T418

import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  tarBlock,
  tarEndBytes,
  tarHeader,
  tarPadding,
  tarSum,
} from '../../../packages/core/src/workspace.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { keep, made, raw, shared } from '../support/keeper.ts';

const daemon = shared();
const end = Buffer.alloc(tarEndBytes);

function file(path: string, text = 'text'): Buffer {
  const header = tarHeader({ path, bytes: text.length });
  return Buffer.concat([header, Buffer.from(text), Buffer.alloc(tarPadding(text.length))]);
}

/** A plain header of `path`, without attributes before it. `write` changes it before its checksum is made. */
function plain(path: string, write: (header: Buffer) => void): Buffer {
  const header = Buffer.from(tarHeader({ path, bytes: 0 }).slice(-tarBlock));
  header.fill(0, 0, 100).write(path);
  write(header);
  header.write(`${tarSum(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** An entry of another type: a hard link is `1`, a device `3`, a FIFO `6`. */
const special = (type: string, link = ''): Buffer =>
  plain('a', (header) => {
    header.write(type, 156);
    header.write(link, 157);
  });

/** A header with the text as its size. */
const sized = (size: string): Buffer => plain('a', (header) => header.fill(0, 124, 136).write(size, 124));

/** Attributes before a file, as pax writes them. */
function attributes(text: string): Buffer {
  const header = plain('pax', (bare) => {
    bare.write('x', 156);
    bare.write(text.length.toString(8).padStart(11, '0'), 124);
  });
  return Buffer.concat([
    header,
    Buffer.from(text),
    Buffer.alloc(tarPadding(text.length)),
    plain('a', () => undefined),
  ]);
}

async function send(id: string, ...parts: readonly Uint8Array[]) {
  const { status, body } = await raw(daemon(), 'PUT', `/workspaces/${id}/files`, {
    body: Buffer.concat(parts),
  });
  return { status, text: body.toString() };
}

/** The workspace as a run sees it: each path with its kind, whether it is executable, and its text or target. */
const listing = `
for root, dirs, files in os.walk("."):
    for name in sorted(dirs + files):
        path = os.path.join(root, name)
        if os.path.islink(path): print(path, "->", os.readlink(path))
        elif os.path.isdir(path): print(path + "/")
        else: print(path, os.access(path, os.X_OK), open(path).read())`;

async function seen(id: string): Promise<string[]> {
  const { body } = await keep(daemon(), id, listing);
  return body.outcome.output.stdout.split('\n').filter(Boolean).sort();
}

test.each(['ustar', 'pax', 'gnu'])(
  'an archive in the format %s is stored with modes, links and folders',
  async (format) => {
    const folder = await temporaryFolder({ 'in/plain': 'plain', 'in/tool': 'tool' });
    const long = `${'d'.repeat(90)}/${'ü'.repeat(40)}`;
    await mkdir(join(folder, 'in/empty'));
    await mkdir(join(folder, 'in', 'd'.repeat(90)));
    await writeFile(join(folder, 'in', long), 'long');
    await chmod(join(folder, 'in/tool'), 0o755);
    await symlink('plain', join(folder, 'in/near'));
    const archive = execFileSync('tar', ['-C', join(folder, 'in'), `--format=${format}`, '-c', '.']);
    const id = await made(daemon());
    expect((await send(id, archive)).status).toBe(200);
    expect(await seen(id)).toEqual(
      [
        './empty/',
        `./${'d'.repeat(90)}/`,
        `./${long} False long`,
        './near -> plain',
        './plain False plain',
        './tool True tool',
      ].sort(),
    );
  },
);

test('of two entries with a path, the last one counts', async () => {
  const id = await made(daemon());
  expect((await send(id, file('a', 'one'), file('./a', 'two'), end)).status).toBe(200);
  expect(await seen(id)).toEqual(['./a False two']);
});

test.each<[string, Buffer[], string]>([
  ['leads out', [file('../a')], 'a'],
  ['is absolute', [file('/etc/passwd')], 'etc/passwd'],
  ['leads out from a folder', [file('a/../../b')], 'b'],
  ['has a NUL in its path', [attributes('16 path=a\0b/cde\n')], 'path'],
  ['is a hard link', [special('1', '/etc/passwd')], 'a hard link'],
  ['is a device', [special('3')], 'a device'],
  ['is a FIFO', [special('6')], 'a FIFO'],
  ['is of an unknown kind', [special('S')], 'of an unknown kind'],
  ['links out', [Buffer.from(tarHeader({ path: 'a', link: '/etc' }))], 'a'],
  ['links out by a relative path', [Buffer.from(tarHeader({ path: 'b/a', link: '../../c' }))], 'a'],
  ['lies below a link', [Buffer.from(tarHeader({ path: 'a', link: 'b' })), file('a/c')], 'a'],
  ['lies below a file', [file('a'), file('a/c')], 'a'],
  ['has no number as its size', [sized('9'.repeat(11))], 'it is cut'],
  ['has a negative size', [sized('-1')], 'it is cut'],
  ['is larger than the archive', [sized('7777')], 'it is cut'],
  ['has attributes without a length', [attributes('path=b\n')], 'malformed'],
  ['has attributes longer than they are', [attributes('99 path=b\n')], 'malformed'],
  ['has a size that is no number in its attributes', [attributes('12 size=1e9\n')], 'it is cut'],
  ['has a wrong checksum', [Buffer.concat([Buffer.alloc(1, 'b'), file('a').subarray(1)])], 'no header'],
])('an archive is refused as a whole if an entry %s', async (_, parts, text) => {
  const id = await made(daemon());
  const refused = await send(id, file('good'), ...parts, end);
  expect([refused.status, JSON.parse(refused.text)]).toEqual([
    422,
    expect.objectContaining({ code: 'INPUT_INVALID', detail: expect.stringContaining(text) }),
  ]);
  expect(await seen(id)).toEqual([]);
  expect((await daemon().audit(`?executionId=${JSON.parse(refused.text).executionId}`)).length).toBe(1);
});
