// Threat model: T72, T76

import { hash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readlink, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';

const body = '# Notes\n\nUse <b>ä</b> & more.\n';

const big = randomBytes(700 * 1024 + 1);

let root = '';

const shared = sharedDaemon(async (path) => {
  root = path;
  await writeSkills(root, {
    notes: {
      'SKILL.md': `---\nname: notes\ndescription: Notes.\n---\n${body}`,
      'references/a.md': 'A note: ä.\n',
      'assets/page.html': '<script>alert(1)</script>\n',
      'odd/per%2fcent & sp ace?#.txt': 'odd\n',
      'assets/empty': '',
      'odd/back\\slash.txt': 'back\n',
      'odd/Caf\u00e9.txt': 'one sign\n',
    },
    secret: { 'references/a.md': 'Hidden text.\n' },
    swapped: { 'references/a.md': 'A note.\n' },
  });
  await writeFile(join(root, 'notes/assets/big.bin'), big);
  await writeFile(join(root, '../outside.md'), 'outside\n');
  await symlink('../../outside.md', join(root, 'notes/link.md'));
  await symlink('../..', join(root, 'notes/up'));
  return { skills: [{ path: root, tier: 'local' }] };
});

/** Sends the path unchanged, without normalization by a client. */
function ask(
  { url, key }: Pick<Daemon, 'url' | 'key'>,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: Record<string, unknown>; content: Buffer }> {
  const { hostname, port } = new URL(url);
  const authorization = `Bearer ${key}`;
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof ask>>>();
  httpRequest({ hostname, port, path, method, headers: { authorization, ...headers } }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk) => chunks.push(chunk));
    answer.on('error', reject);
    answer.on('end', () =>
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, content: Buffer.concat(chunks) }),
    );
  })
    .on('error', reject)
    .end();
  return promise;
}

const codeOf = ({ content }: { content: Buffer }) => JSON.parse(String(content)).code;

test("serves a skill's body and files unchanged with their SHA-256, and reflects edits", async () => {
  const daemon = shared();
  const instructions = await ask(daemon, '/skills/notes/body');
  expect([instructions.status, instructions.headers['content-type'], String(instructions.content)]).toEqual([
    ...[200, 'text/markdown; charset=utf-8', body.trim()],
  ]);
  const listed = JSON.parse(String((await ask(daemon, '/skills/notes/files')).content));
  const detail = JSON.parse(String((await ask(daemon, '/skills/notes')).content));
  expect(listed).toEqual({ digest: detail.digest, files: detail.files });
  expect(listed.files).toHaveLength(10);

  for (const { path, bytes, sha256 } of listed.files) {
    const url = `/skills/notes/files/${path.split('/').map(encodeURIComponent).join('/')}`;
    const answer = await ask(daemon, url);
    if (['link.md', 'up'].includes(path)) {
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 404, 'FILE_NOT_FOUND']);
      continue;
    }
    expect({
      path,
      status: answer.status,
      sha256: hash('sha256', answer.content),
      etag: answer.headers['etag'],
      length: Number(answer.headers['content-length']),
    }).toEqual({ path, status: 200, sha256, etag: `"${sha256}"`, length: bytes });
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    const head = await ask(daemon, url, { method: 'HEAD' });
    expect([head.status, head.content.length, head.headers['content-length']]).toEqual([
      200,
      0,
      String(bytes),
    ]);
    const again = await ask(daemon, url, { headers: { 'if-none-match': `"${sha256}"` } });
    expect([again.status, again.content.length]).toEqual([304, 0]);
  }
  const shown = async (path: string) => {
    const { headers } = await ask(daemon, `/skills/notes/files/${path}`);
    return [headers['content-type'], headers['content-disposition']];
  };
  expect(await shown('references/a.md')).toEqual(['text/markdown; charset=utf-8', undefined]);
  expect(await shown('assets/page.html')).toEqual(['text/plain; charset=utf-8', undefined]);
  expect(await shown('assets/big.bin')).toEqual([
    ...['application/octet-stream', "attachment; filename*=UTF-8''big.bin"],
  ]);

  const urls = ['/skills', '/skills/notes', '/skills/notes/files', '/skills/notes/files/references/a.md'];
  const etags = () => Promise.all(urls.map(async (url) => (await ask(daemon, url)).headers['etag']));
  const [before, bodyBefore] = [await etags(), instructions.headers['etag']];
  expect(await etags()).toEqual(before);
  await writeFile(join(root, 'notes/references/a.md'), 'Another note.\n');
  const after = await etags();
  expect(after.map((etag, at) => etag === before[at])).toEqual([false, false, false, false]);
  expect((await ask(daemon, '/skills/notes/body')).headers['etag']).toBe(bodyBefore);
});

test('serves a file only under its exact path, and records each refused attempt once', async () => {
  const daemon = shared();
  const records = async () => (await daemon.audit('?limit=200')).map(({ error }) => error?.code);
  const files = '/skills/notes/files';
  const tries = [
    ...[
      '../../outside.md',
      '..%2f..%2foutside.md',
      '%2e%2e/%2e%2e/outside.md',
      '/etc/passwd',
      '%2fetc%2fpasswd',
    ],
    ...['references/../SKILL.md', './SKILL.md', 'references//a.md', 'SKILL.md/', '', '.', '..', 'references'],
    ...[
      'references%2fa.md',
      'references%2Fa.md',
      'references%5ca.md',
      'references\\a.md',
      'references%252fa.md',
    ],
    ...[
      'SKILL.md%00',
      'SKILL.md%00.txt',
      '%00',
      'skill.md',
      'SKILL.MD',
      'SKILL.md%20',
      'SKILL.md.',
      '%EF%BC%B3KILL.md',
    ],
    ...['odd/Cafe%CC%81.txt', 'up/outside.md', 'link.md', '__proto__', 'constructor', '*', 'SKILL.md;a=b'],
    ...['..;/..;/outside.md', '....//outside.md', '%252e%252e/outside.md', `${'a/'.repeat(4000)}a`],
  ];
  for (const path of tries) {
    const before = (await records()).length;
    const answer = await ask(daemon, `${files}/${path}`);
    const [newest, ...older] = await records();
    expect([path, answer.status, codeOf(answer), newest, older.length]).toEqual([
      ...[path, 404, 'FILE_NOT_FOUND', 'FILE_NOT_FOUND', before],
    ]);
    expect(String(answer.content)).not.toContain('outside\n');
  }
  for (const path of [`${files}/%c0%ae%c0%ae/outside.md`, `${files}/%zz`, `${files}%2fSKILL.md`])
    expect([path, codeOf(await ask(daemon, path))]).toEqual([path, 'ROUTE_NOT_FOUND']);
  expect(codeOf(await ask(daemon, '/skills/../skills/notes/files/SKILL.md'))).toBe('ROUTE_NOT_FOUND');

  // Listed files are still served.
  expect((await ask(daemon, `${files}/odd/Caf%C3%A9.txt`)).status).toBe(200);
  expect((await ask(daemon, `${files}/references/%61.md`)).status).toBe(200);

  // A folder of the skill becomes a link to a folder with a file of that name.
  await mkdir(join(root, '../elsewhere'));
  await writeFile(join(root, '../elsewhere/a.md'), 'outside\n');
  await rename(join(root, 'swapped/references'), join(root, 'swapped/moved'));
  await symlink('../../elsewhere', join(root, 'swapped/references'));
  const swapped = await ask(daemon, '/skills/swapped/files/references/a.md');
  expect([swapped.status, codeOf(swapped)]).toEqual([404, 'FILE_NOT_FOUND']);
  expect((await ask(daemon, '/skills/swapped/files/moved/a.md')).status).toBe(200);
});

test('closes a file when its client disconnects in the middle', async () => {
  const daemon = shared();
  const file = join(root, 'notes/assets/huge.bin');
  await truncate(await made(file), 64 * 1024 * 1024);
  const { resolve, promise } = Promise.withResolvers<void>();
  const { hostname, port } = new URL(daemon.url);
  const headers = { authorization: `Bearer ${daemon.key}` };
  const asked = httpRequest(
    { hostname, port, path: '/skills/notes/files/assets/huge.bin', headers },
    (answer) => {
      answer.once('data', () => resolve(void answer.pause())).on('error', () => undefined);
    },
  ).end();
  await promise;
  // A scan of the skills after the start may read it too.
  await expect.poll(() => openBy(daemon, file)).toBe(1);
  asked.destroy();
  await expect.poll(() => openBy(daemon, file)).toBe(0);
});

async function made(file: string): Promise<string> {
  await writeFile(file, '');
  return file;
}

/** The number of the daemon's descriptors for the file. */
async function openBy({ pid }: Daemon, file: string): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder);
  const places = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => '')));
  return places.filter((place) => place === file).length;
}

test('a key for other skills gets the same refusals as for a missing skill', async () => {
  const daemon = shared();
  const as = await withKey(daemon, 'bound', { scopes: ['skills:read'], skills: ['notes'] });
  const known = (await ask(daemon, '/skills/secret/files/references/a.md')).headers['etag'] as string;
  const said = async (id: string, rest: string, headers = {}) => {
    const { status, content } = await ask(as, `/skills/${id}${rest}`, { headers });
    const { code, detail } = JSON.parse(String(content));
    return [status, code, detail.replaceAll(id, 'IT')];
  };
  for (const rest of ['', '/body', '/files', '/files/references/a.md', '/files/none', '/files/a%2fb'])
    expect(await said('secret', rest, { 'if-none-match': `*, ${known}` })).toEqual(
      await said('nowhere', rest),
    );
  expect((await ask(as, '/skills/notes/files/references/a.md')).status).toBe(200);
});
