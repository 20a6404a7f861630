// Threat model: T138, T140

import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { skillEntry, testMcp } from '../../testing/mcp-server.ts';
import { openedSkills } from '../../testing/opened-skills.ts';
import { digestOf } from '../../testing/registry.ts';

const skillMd = '---\nname: forms\ndescription: d\n---\n';
const image = Uint8Array.of(0, 255, 1);
const forms = { 'SKILL.md': skillMd, 'scripts/run.py': 'print("ä")', 'a%20b.png': image };
const entry = skillEntry('forms', forms);
const files = Object.fromEntries(
  Object.entries(forms).map(([path, content]) => [`skill://forms/${path}`, content]),
);
const read = { forms: ['SKILL.md', 'a b.png', 'scripts/run.py'] };

async function opened(
  url: string,
  { folder = '', ...options }: Parameters<typeof openedSkills>[1] & { folder?: string } = {},
) {
  return openedSkills(`mcp+${url}/mcp${folder}`, { network: [url], ...options });
}

test('reads the skills of a server, text and bytes, and those in a folder', async () => {
  const other = skillEntry('acme/forms', { 'SKILL.md': skillMd });
  const url = await testMcp([entry, other], { ...files, 'skill://acme/forms/SKILL.md': skillMd });
  const lines = [
    ...Object.entries(forms).map(([path, content]) => `${digestOf(content)} skill://forms/${path}\n`),
    `${digestOf(skillMd)} skill://acme/forms/SKILL.md\n`,
  ];
  const resolved = { sha256: digestOf(lines.sort().join('')).slice('sha256:'.length) };
  const acme = { 'acme/forms': ['SKILL.md'] };
  expect(await opened(url)).toEqual({ skills: { ...read, ...acme }, refused: [], resolved });
  expect(await opened(url, { folder: '#:acme' })).toEqual({ skills: acme, refused: [], resolved });
});

test.each<[string, string, object, Record<string, string | Uint8Array>]>([
  ['a file with another digest', 'SOURCE_DAMAGED', {}, { 'skill://bad/SKILL.md': 'another' }],
  ['a file that cannot be read', 'SOURCE_UNREACHABLE', {}, {}],
  ['files without digests', 'SOURCE_UNSUPPORTED', { resources: 'dynamic' }, {}],
  [
    'a digest of another kind',
    'SOURCE_DAMAGED',
    { resources: [{ uri: 'skill://bad/SKILL.md', digest: 'md5:0', size: 1 }] },
    {},
  ],
  [
    'a file in the folder of another skill',
    'SOURCE_DAMAGED',
    {
      resources: [
        { uri: 'skill://bad/SKILL.md', digest: digestOf(skillMd), size: 1 },
        { uri: 'skill://forms/SKILL.md', digest: digestOf(skillMd), size: 1 },
      ],
    },
    {},
  ],
  [
    'an encoded path out of its folder',
    'SOURCE_DAMAGED',
    { resources: [{ uri: 'skill://bad/x/%2e%2e%2f%2e%2e/SKILL.md', digest: digestOf(skillMd), size: 1 }] },
    {},
  ],
  [
    'more bytes than a skill may have',
    'SKILL_TOO_LARGE',
    { resources: [{ uri: 'skill://bad/SKILL.md', digest: digestOf(skillMd), size: 17 * 1024 * 1024 }] },
    {},
  ],
])('leaves out a skill with %s, and reads the others', async (_, code, change, more) => {
  const bad = { ...skillEntry('bad', { 'SKILL.md': skillMd }), ...change };
  const { skills, refused } = await opened(await testMcp([bad, entry], { ...files, ...more }));
  expect({ skills, refused: refused.map((each) => each.code) }).toEqual({ skills: read, refused: [code] });
});

function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = (): void => void (response.destroyed || response.write(' '.repeat(1024 * 1024), more));
  more();
}

/** Pages of a megabyte, each of which names another one. */
function endlessPages(response: ServerResponse, _: string, id: number): void {
  const result = {
    skills: [skillEntry(`s${id}`, forms)],
    nextCursor: String(id),
    more: ' '.repeat(1024 * 1024),
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const initialized = { protocolVersion: '2025-11-25', serverInfo: { name: 'x', version: '1' } };

test.each<[string, string, Parameters<typeof testMcp>[2]]>([
  ['a server without skills', 'SOURCE_UNSUPPORTED', { initialize: { ...initialized, capabilities: {} } }],
  [
    'a server that is no MCP server',
    'SOURCE_UNREACHABLE',
    { initialize: (response) => void response.end('<html>') },
  ],
  ['a server that wants a login', 'SOURCE_UNREACHABLE', { initialize: (it) => void it.writeHead(401).end() }],
  ['a list without end', 'SOURCE_TOO_LARGE', { 'skills/list': endless }],
  ['a list of large pages without end', 'SOURCE_TOO_LARGE', { 'skills/list': endlessPages }],
  [
    'a list of more than 1,000 skills',
    'SOURCE_TOO_LARGE',
    { 'skills/list': { skills: Array.from({ length: 1001 }, (_, at) => skillEntry(`s${at}`, forms)) } },
  ],
  [
    'a redirect',
    'SOURCE_UNREACHABLE',
    { initialize: (it, base) => void it.writeHead(307, { location: `${base}/elsewhere` }).end() },
  ],
])('refuses %s, and reads a harmless server', async (_, code, answers) => {
  await expect(opened(await testMcp([entry], files, answers))).rejects.toMatchObject({ code });
  expect((await opened(await testMcp([entry], files))).skills).toEqual(read);
});

test('a path that could lead out is refused, also when it is encoded', async () => {
  const path = 'x%5c..%5cSKILL.md';
  const url = await testMcp([skillEntry('forms', { ...forms, [path]: 'x' })], {
    ...files,
    [`skill://forms/${path}`]: 'x',
  });
  await expect(opened(url)).rejects.toMatchObject({ code: 'SOURCE_UNSAFE_PATH' });
});

test('reaches only allowed hosts, and never dials a private address', async () => {
  const url = await testMcp([entry], files);
  await expect(opened(url, { network: [] })).rejects.toMatchObject({
    code: 'SOURCE_NOT_ALLOWED',
    message: expect.stringContaining('installs: { network: ['),
  });
  const dialled: string[] = [];
  const options = { network: ['a.example'], names: { 'a.example': ['10.0.0.1'] }, dialled };
  await expect(openedSkills('mcp+https://a.example/mcp', options)).rejects.toMatchObject({
    code: 'SOURCE_NOT_ALLOWED',
  });
  expect(dialled).toEqual([]);
});
