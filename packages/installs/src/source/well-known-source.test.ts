// Threat model: T138, T139

import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { tarGzOf, zipOf } from '../testing/archives.ts';
import { openedSkills } from '../testing/opened-skills.ts';
import { serving } from '../testing/serving.ts';

const schema = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const indexPath = '/.well-known/agent-skills/index.json';
const skillMd = (name: string) => `---\nname: ${name}\ndescription: d\n---\n`;

function digestOf(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

type Served = Uint8Array | string | ((response: ServerResponse, base: string) => void);

/** A site with an index, and its files by path. */
async function site(
  skills: readonly object[],
  files: Readonly<Record<string, Served>>,
  index: Served = JSON.stringify({ $schema: schema, skills }),
): Promise<string> {
  const base = await serving((request, response) => {
    const served = request.url === indexPath ? index : files[request.url ?? ''];
    if (typeof served === 'function') served(response, base);
    else if (served === undefined) response.writeHead(404).end();
    else response.end(served);
  });
  return base;
}

const notes = skillMd('notes');
const plain = { name: 'notes', type: 'skill-md', url: 'notes.md', digest: digestOf(notes) };
const plainFile = { '/.well-known/agent-skills/notes.md': notes };

test('reads the files and archives that a site lists, by its address, its index, and a folder', async () => {
  const zip = zipOf([
    { path: 'SKILL.md', content: skillMd('forms') },
    { path: 'scripts/run.py', content: 'print()' },
  ]);
  const tar = await tarGzOf([{ path: 'SKILL.md', content: skillMd('tables') }]);
  const skills = [
    { ...plain, later: 'a field of a later version' },
    { name: 'forms', type: 'archive', url: '/a/forms', digest: digestOf(zip) },
    { name: 'tables', type: 'archive', url: '/moved', digest: digestOf(tar) },
  ];
  const base = await site(skills, {
    ...plainFile,
    '/a/forms': zip,
    '/moved': (response) => void response.writeHead(302, { location: '/a/tables' }).end(),
    '/a/tables': tar,
  });
  const sha256 = digestOf(JSON.stringify({ $schema: schema, skills })).slice('sha256:'.length);
  const all = {
    skills: { notes: ['SKILL.md'], forms: ['SKILL.md', 'scripts/run.py'], tables: ['SKILL.md'] },
    refused: [],
    resolved: { sha256 },
  };
  expect(await openedSkills(base, { network: [base] })).toEqual(all);
  expect(await openedSkills(`${base}${indexPath}`, { network: [base] })).toEqual(all);
  expect(await openedSkills(`${base}#:forms`, { network: [base] })).toEqual({
    ...all,
    skills: { forms: ['SKILL.md', 'scripts/run.py'] },
  });
});

test.each<[string, string, object, Record<string, Served>]>([
  ['a file with another digest', 'SOURCE_DAMAGED', { digest: digestOf('other') }, { '/bad.md': notes }],
  ['a missing file', 'SOURCE_UNREACHABLE', {}, {}],
  [
    'a file that is cut short',
    'SOURCE_UNREACHABLE',
    {},
    {
      '/bad.md': (response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('---', () => response.destroy());
      },
    },
  ],
  [
    'a file that is too large',
    'SOURCE_TOO_LARGE',
    {},
    {
      '/bad.md': (response) => {
        const piece = Buffer.alloc(1024 * 1024);
        const more = (): void => void (response.destroyed || response.write(piece, more));
        more();
      },
    },
  ],
  ['an entry of an unknown type', 'SOURCE_UNSUPPORTED', { type: 'bundle' }, {}],
  ['an entry without a digest', 'SOURCE_DAMAGED', { digest: undefined }, { '/bad.md': notes }],
  ['a URL that is not encrypted', 'SOURCE_UNSUPPORTED', { url: 'http://a.example/x.md' }, {}],
  ['a URL of a host that is not allowed', 'SOURCE_NOT_ALLOWED', { url: 'https://a.example/x.md' }, {}],
  ['an archive of another format', 'SOURCE_UNSUPPORTED', { type: 'archive' }, { '/bad.md': notes }],
])('leaves out %s, and reads the others', async (_, code, entry, files) => {
  const bad = { name: 'bad', type: 'skill-md', url: '/bad.md', digest: digestOf(notes), ...entry };
  const base = await site([bad, plain], { ...plainFile, ...files });
  const { skills, refused } = await openedSkills(base, { network: [base] });
  expect({ skills, refused: refused.map((each) => [each.folder, each.code]) }).toEqual({
    skills: { notes: ['SKILL.md'] },
    refused: [['bad', code]],
  });
});

test.each<[string, string, Served]>([
  ['an index of another version', 'SOURCE_UNSUPPORTED', JSON.stringify({ $schema: 'x', skills: [plain] })],
  ['an index without skills', 'SOURCE_DAMAGED', JSON.stringify({ $schema: schema })],
  ['an index that is not JSON', 'SOURCE_DAMAGED', '<html>'],
  ['an index that does not exist', 'SOURCE_UNREACHABLE', (response) => void response.writeHead(404).end()],
  [
    'an index that has no end',
    'SOURCE_TOO_LARGE',
    (response) => {
      const more = (): void => void (response.destroyed || response.write(' '.repeat(65_536), more));
      more();
    },
  ],
  [
    'an index of more than 1,000 skills',
    'SOURCE_TOO_LARGE',
    JSON.stringify({ $schema: schema, skills: Array.from({ length: 1001 }, () => plain) }),
  ],
  [
    'an archive with a path that leads out of its skill',
    'SOURCE_UNSAFE_PATH',
    JSON.stringify({
      $schema: schema,
      skills: [{ ...plain, type: 'archive', url: '/out.tgz', digest: digestOf(await escaping()) }],
    }),
  ],
])('refuses %s, and reads a harmless index', async (_, code, index) => {
  const files = { ...plainFile, '/out.tgz': await escaping() };
  const bad = await site([], files, index);
  await expect(openedSkills(bad, { network: [bad] })).rejects.toMatchObject({ code });
  const good = await site([plain], files);
  expect((await openedSkills(good, { network: [good] })).skills).toEqual({ notes: ['SKILL.md'] });
});

async function escaping(): Promise<Buffer> {
  return tarGzOf([
    { path: 'SKILL.md', content: notes },
    { path: '../other/SKILL.md', content: notes },
  ]);
}

test('never dials a private address that a redirect names, and follows it to a public one', async () => {
  const files = { '/.well-known/agent-skills/notes.md': notes };
  const far = await site([], files);
  const { port } = new URL(far);
  const near = await site([plain], {
    '/.well-known/agent-skills/notes.md': (response) =>
      void response
        .writeHead(302, { location: `http://cdn.example:${port}/.well-known/agent-skills/notes.md` })
        .end(),
  });
  const network = [near, `http://cdn.example:${port}`];
  const read = async (address: string) => {
    const dialled: string[] = [];
    const { skills, refused } = await openedSkills(near, {
      network,
      dialled,
      names: { 'cdn.example': [address] },
    });
    return { skills, refused: refused.map(({ code }) => code), dialled };
  };
  const { host } = new URL(near);
  const refused = { skills: {}, refused: ['SOURCE_NOT_ALLOWED'], dialled: [host] };
  for (const address of ['169.254.169.254', '10.0.0.1', '127.0.0.1'])
    expect(await read(address)).toEqual(refused);
  expect(await read('203.0.114.1')).toEqual({
    skills: { notes: ['SKILL.md'] },
    refused: [],
    dialled: [host, `203.0.114.1:${port}`],
  });
});
