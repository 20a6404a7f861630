// Threat model: T138, T141

import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { tarGzOf, tarOf } from '../../testing/archives.ts';
import { openedSkills } from '../../testing/opened-skills.ts';
import {
  descriptorOf,
  digestOf,
  indexType,
  manifestOf,
  manifestType,
  type TestLayer,
  testRegistry,
} from '../../testing/registry.ts';

const skillMd = (name: string) => `---\nname: ${name}\ndescription: d\n---\n`;
const tarType = 'application/vnd.oci.image.layer.v1.tar';

async function tarLayer(path = 'forms/SKILL.md'): Promise<TestLayer> {
  return { mediaType: `${tarType}+gzip`, bytes: await tarGzOf([{ path, content: skillMd('forms') }]) };
}

const good = await tarLayer();
const goodManifest = manifestOf([good]);
type Answers = Parameters<typeof testRegistry>[0];
const latest = (manifest: Answers[string]): Answers => ({ 'manifests/latest': manifest });
const layer = (content: Answers[string], of = good): Answers => ({
  [`blobs/${digestOf(of.bytes)}`]: content,
});
const goodAnswers = { ...latest(goodManifest), ...layer(good.bytes) };
const read = { skills: { forms: ['SKILL.md'] }, refused: [] };

test('reads tar layers and files with a title, by tag, by digest and as the only one', async () => {
  const plain = { mediaType: tarType, bytes: await tarOf([{ path: 'SKILL.md', content: skillMd('a') }]) };
  const file = { mediaType: 'text/x-python', bytes: Buffer.from('print()'), title: 'scripts/run.py' };
  const manifest = manifestOf([plain, file]);
  const { base, source } = await testRegistry({
    'manifests/latest': manifest,
    'manifests/v1.2': goodManifest,
    [`manifests/${digestOf(goodManifest)}`]: goodManifest,
    ...Object.fromEntries([plain, file, good].map(({ bytes }) => [`blobs/${digestOf(bytes)}`, bytes])),
  });
  const network = [base];
  const sha256 = (text: string) => ({ sha256: digestOf(text).slice('sha256:'.length) });
  expect(await openedSkills(source, { network })).toEqual({
    skills: { '': ['SKILL.md', 'scripts/run.py'] },
    refused: [],
    resolved: sha256(manifest),
  });
  const tagged = { ...read, resolved: sha256(goodManifest) };
  expect(await openedSkills(`${source}:v1.2`, { network })).toEqual(tagged);
  expect(await openedSkills(`${source}@${digestOf(goodManifest)}`, { network })).toEqual(tagged);
  expect(await openedSkills(`${source}:gone@${digestOf(goodManifest)}#:forms`, { network })).toEqual(tagged);
});

test('reads the first platform of an image, without its attestations, and every artifact of a collection', async () => {
  const listed = (more: object) => ({
    ...descriptorOf({ mediaType: manifestType, bytes: Buffer.from(goodManifest) }),
    ...more,
  });
  const index = (...manifests: object[]) =>
    JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
  const title = { annotations: { 'org.opencontainers.image.title': 'named' } };
  const { base, source } = await testRegistry({
    ...goodAnswers,
    [`manifests/${digestOf(goodManifest)}`]: goodManifest,
    'manifests/image': index(
      listed({ annotations: { 'vnd.docker.reference.type': 'attestation-manifest' }, platform: {} }),
      listed({ platform: { os: 'linux', architecture: 'amd64' } }),
      listed({ platform: { os: 'linux', architecture: 'arm64' } }),
    ),
    'manifests/collection': index(listed(title), listed({})),
  });
  expect(await openedSkills(`${source}:image`, { network: [base] })).toMatchObject(read);
  expect((await openedSkills(`${source}:collection`, { network: [base] })).skills).toEqual({
    'named/forms': ['SKILL.md'],
    '2/forms': ['SKILL.md'],
  });
});

const other = await tarLayer('other/SKILL.md');
const changed = Buffer.from(good.bytes);
changed[changed.length - 1] = 255 - (changed.at(-1) ?? 0);
const removal = await tarLayer('forms/.wh.run.py');
const outside = await tarLayer('../SKILL.md');
const nested = JSON.stringify({ mediaType: indexType, manifests: [] });
const lyingLength = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-length': '99999' }).write('x', () => response.destroy());

test.each<[string, string, Answers]>([
  ['a tag that does not exist', 'SOURCE_UNREACHABLE', latest((it) => void it.writeHead(404).end())],
  [
    'a manifest with another digest than the registry says',
    'SOURCE_DAMAGED',
    latest(
      (it) => void it.writeHead(200, { 'docker-content-digest': digestOf('another') }).end(goodManifest),
    ),
  ],
  ['a layer with another digest', 'SOURCE_DAMAGED', layer(changed)],
  ['a layer that is cut short', 'SOURCE_UNREACHABLE', layer(lyingLength)],
  ['a layer that is shorter than it should be', 'SOURCE_DAMAGED', layer(good.bytes.subarray(0, 100))],
  [
    'a layer that is longer than it should be',
    'SOURCE_TOO_LARGE',
    layer(Buffer.concat([good.bytes, Buffer.alloc(100)])),
  ],
  ['a layer that would be too large', 'SOURCE_TOO_LARGE', latest(manifestOf([{ ...good, size: 2 ** 31 }]))],
  [
    'more layers than are read',
    'SOURCE_TOO_LARGE',
    latest(manifestOf(Array.from({ length: 513 }, () => good))),
  ],
  [
    'a layer of another type',
    'SOURCE_UNSUPPORTED',
    latest(manifestOf([{ ...good, mediaType: 'application/octet-stream' }])),
  ],
  [
    'a layer with another kind of digest',
    'SOURCE_DAMAGED',
    latest(manifestOf([{ ...good, digest: 'md5:00' }])),
  ],
  [
    'a manifest of another type',
    'SOURCE_UNSUPPORTED',
    latest(manifestOf([good], { mediaType: 'application/vnd.docker.distribution.manifest.v1+json' })),
  ],
  ['a manifest that is also an index', 'SOURCE_DAMAGED', latest(manifestOf([good], { manifests: [] }))],
  ['a manifest without layers', 'SOURCE_DAMAGED', latest(JSON.stringify({ mediaType: manifestType }))],
  ['a manifest that is not JSON', 'SOURCE_DAMAGED', latest('<html>')],
  ['a manifest without end', 'SOURCE_TOO_LARGE', latest(endless)],
  [
    'an index inside an index',
    'SOURCE_UNSUPPORTED',
    {
      'manifests/latest': JSON.stringify({
        mediaType: indexType,
        manifests: [descriptorOf({ mediaType: indexType, bytes: Buffer.from(nested) })],
      }),
      [`manifests/${digestOf(nested)}`]: nested,
    },
  ],
  [
    'a listed manifest with another digest',
    'SOURCE_DAMAGED',
    {
      'manifests/latest': JSON.stringify({
        mediaType: indexType,
        manifests: [descriptorOf({ mediaType: manifestType, bytes: Buffer.from('another') })],
      }),
      [`manifests/${digestOf('another')}`]: goodManifest,
    },
  ],
  [
    'a layer that removes files',
    'SOURCE_UNSUPPORTED',
    { ...latest(manifestOf([good, removal])), ...layer(removal.bytes, removal) },
  ],
  [
    'a layer with a path that leads out',
    'SOURCE_UNSAFE_PATH',
    { ...latest(manifestOf([outside])), ...layer(outside.bytes, outside) },
  ],
  [
    'a file whose title leads out',
    'SOURCE_UNSAFE_PATH',
    latest(manifestOf([{ ...good, mediaType: 'text/plain', title: '../x' }])),
  ],
])('refuses %s, and reads a harmless artifact', async (_, code, answers) => {
  const bad = await testRegistry({ ...goodAnswers, ...answers });
  await expect(openedSkills(bad.source, { network: [bad.base] })).rejects.toMatchObject({ code });
  const harmless = await testRegistry(goodAnswers);
  expect(await openedSkills(harmless.source, { network: [harmless.base] })).toMatchObject(read);
});

function endless(response: ServerResponse): void {
  const more = (): void => void (response.destroyed || response.write(' '.repeat(65_536), more));
  more();
}

test('a registry that answers a digest with another manifest is refused', async () => {
  const wanted = digestOf(goodManifest);
  const { base, source } = await testRegistry({
    ...goodAnswers,
    [`manifests/${wanted}`]: manifestOf([other]),
    ...layer(other.bytes, other),
  });
  await expect(openedSkills(`${source}@${wanted}`, { network: [base] })).rejects.toMatchObject({
    code: 'SOURCE_DAMAGED',
    message: expect.stringContaining(`instead of ${wanted}`),
  });
  expect(await openedSkills(source, { network: [base], ref: 'latest' })).toMatchObject(read);
});

test('gets a token for everyone, and sends it to the registry alone', async () => {
  const far = await testRegistry({ layer: good.bytes });
  const { base, source, asked } = await testRegistry(
    {
      ...goodAnswers,
      [`blobs/${digestOf(good.bytes)}`]: (it) =>
        void it.writeHead(307, { location: `${far.base}/v2/acme/forms/layer` }).end(),
    },
    { challenge: (own) => `Bearer realm="${own}/token",service="registry",scope="anything"` },
  );
  expect(await openedSkills(source, { network: [base, far.base] })).toMatchObject(read);
  const token = {
    path: '/token?service=registry&scope=repository%3Aacme%2Fforms%3Apull',
    authorization: undefined,
  };
  const authorization = 'Bearer public';
  expect(asked).toEqual([
    { path: '/v2/acme/forms/manifests/latest', authorization: undefined },
    token,
    { path: '/v2/acme/forms/manifests/latest', authorization },
    { path: `/v2/acme/forms/blobs/${digestOf(good.bytes)}`, authorization },
  ]);
  expect(far.asked).toEqual([{ path: '/v2/acme/forms/layer', authorization: undefined }]);
});

test.each<[string, string, (base: string) => string]>([
  [
    'a token from a host that is not allowed',
    'SOURCE_NOT_ALLOWED',
    () => 'Bearer realm="https://auth.example/token"',
  ],
  [
    'a token that would not be encrypted',
    'SOURCE_UNSUPPORTED',
    () => 'Bearer realm="http://auth.example/token"',
  ],
  ['a token from nowhere', 'SOURCE_UNSUPPORTED', () => 'Bearer service="x"'],
  ['a login with a password', 'SOURCE_UNREACHABLE', () => 'Basic realm="x"'],
  ['a challenge without words', 'SOURCE_UNREACHABLE', () => ''],
])('refuses %s, and reads a repository for everyone', async (_, code, challenge) => {
  const closed = await testRegistry(goodAnswers, { challenge });
  await expect(openedSkills(closed.source, { network: [closed.base] })).rejects.toMatchObject({ code });
  const realm = (base: string) => `Bearer realm="${base}/token"`;
  const open = await testRegistry(goodAnswers, { challenge: realm });
  expect(await openedSkills(open.source, { network: [open.base] })).toMatchObject(read);
});

test('never dials a private address that a layer redirects to', async () => {
  const { base, source } = await testRegistry({
    ...goodAnswers,
    ...layer((it) => void it.writeHead(307, { location: 'http://cdn.example/layer' }).end()),
  });
  const dialled: string[] = [];
  const names = { 'cdn.example': ['169.254.169.254'] };
  await expect(
    openedSkills(source, { network: [base, 'http://cdn.example'], names, dialled }),
  ).rejects.toMatchObject({ code: 'SOURCE_NOT_ALLOWED' });
  expect(new Set(dialled)).toEqual(new Set([new URL(base).host]));
});
