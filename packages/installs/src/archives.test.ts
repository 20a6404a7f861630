import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InstallError, type InstallErrorCode, surveySource, writeSkills } from './index.ts';
import { openArchive } from './source/open-archive.ts';
import { tarSource } from './source/tar-source.ts';
import { type ArchiveEntry, tarGzOf, tarOf, zipOf } from './testing/archives.ts';
import { written } from './testing/written.ts';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-installs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function archive(bytes: Uint8Array): Promise<string> {
  const file = join(await temporaryFolder(), 'archive');
  await writeFile(file, bytes);
  return file;
}

const skillMd = { path: 'repo/docx/SKILL.md', content: '---\nname: docx\ndescription: d\n---\n' };
const others: readonly ArchiveEntry[] = [
  { path: 'repo/README.md', content: 'read me' },
  { path: 'repo/docx/scripts/run.py', content: 'print(1)', mode: 0o100_755 },
  { path: 'repo/docx/.env', content: 'SECRET=1' },
  { path: 'repo/pdf/SKILL.md', content: '---\nname: pdf\ndescription: d\n---\n' },
];

/** What happens to an archive: the files that it leaves, the refusals of its skills, or its own. */
async function outcome(bytes: Uint8Array) {
  const folder = await temporaryFolder();
  const into = join(folder, 'into');
  await mkdir(into);
  try {
    const source = await openArchive(await archive(bytes));
    const { skills, refused } = await surveySource(source);
    await writeSkills(source, skills, into, (skill) => skill.folder);
    expect((await readdir(folder)).sort()).toEqual(['into']);
    return { files: await written(into), refused: refused.map(({ folder: at, error }) => [at, error.code]) };
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    expect(await written(into)).toEqual({});
    return { code: error.code, message: error.message };
  }
}

const packers: readonly [string, (entries: readonly ArchiveEntry[]) => Uint8Array | Promise<Uint8Array>][] = [
  ['zip', zipOf],
  ['tar', tarOf],
  ['tar.gz', tarGzOf],
];

describe.each(packers)('a %s archive', (_, pack) => {
  test('leaves the files of its skills, without hidden ones, with plain modes', async () => {
    expect(await outcome(await pack([skillMd, ...others]))).toEqual({
      files: {
        'repo/docx/SKILL.md': `644 ${skillMd.content}`,
        'repo/docx/scripts/run.py': '755 print(1)',
        'repo/pdf/SKILL.md': '644 ---\nname: pdf\ndescription: d\n---\n',
      },
      refused: [],
    });
  });

  test('keeps links to files and folders of the same skill', async () => {
    const links = [
      { path: 'repo/docx/CLAUDE.md', target: './SKILL.md' },
      { path: 'repo/docx/scripts/all', target: '../references' },
      { path: 'repo/docx/references/a.md', content: 'a' },
    ];
    expect((await outcome(await pack([skillMd, ...links]))).files).toEqual({
      'repo/docx/CLAUDE.md': '-> ./SKILL.md',
      'repo/docx/SKILL.md': `644 ${skillMd.content}`,
      'repo/docx/references/a.md': '644 a',
      'repo/docx/scripts/all': '-> ../references',
    });
  });

  test('may itself be a skill, and a skill in a skill is part of it', async () => {
    const entries = [
      { path: 'SKILL.md', content: 'x' },
      { path: 'a/SKILL.md', content: 'y' },
    ];
    expect(await outcome(await pack(entries))).toEqual({
      files: { 'SKILL.md': '644 x', 'a/SKILL.md': '644 y' },
      refused: [],
    });
  });
});

const at = (path: string, rest: Omit<ArchiveEntry, 'path'> = {}): ArchiveEntry => ({
  path,
  content: 'x',
  ...rest,
});
const many = (count: number) => Array.from({ length: count }, (_, n) => at(`repo/docx/f${n}`));
const mebibyte = 1024 * 1024;

/** Entries beside a harmless skill, the code of their refusal, and the nearest entries that are accepted. */
const hostile: readonly [string, ArchiveEntry[], InstallErrorCode, ArchiveEntry[], string?][] = [
  ['a path that leads out', [at('../evil')], 'SOURCE_UNSAFE_PATH', [at('repo/docx/..evil')]],
  [
    'a path that leads out from inside',
    [at('repo/docx/../../../evil')],
    'SOURCE_UNSAFE_PATH',
    [at('repo/docx/./a')],
  ],
  ['a path that leads out and back', [at('repo/../repo/docx/a')], 'SOURCE_UNSAFE_PATH', [at('repo//docx/a')]],
  ['an absolute path', [at('/etc/cron.d/evil')], 'SOURCE_UNSAFE_PATH', [at('repo/docx/etc/cron.d/evil')]],
  ['a drive', [at('C:/evil')], 'SOURCE_UNSAFE_PATH', [at('repo/docx/C-evil')]],
  ['a UNC path', [at('\\\\host\\share')], 'SOURCE_UNSAFE_PATH', [at('repo/docx/host')]],
  ['a backslash', [at('repo\\docx\\a')], 'SOURCE_UNSAFE_PATH', [at('repo/docx/a')]],
  [
    'a link to an absolute path',
    [at('repo/docx/l', { target: '/etc/passwd' })],
    'SKILL_UNSAFE_LINK',
    [at('repo/l', { target: '/etc/passwd' })],
  ],
  [
    'a link out of the skill',
    [at('repo/docx/l', { target: '../README.md' })],
    'SKILL_UNSAFE_LINK',
    [at('repo/docx/l', { target: 'SKILL.md' })],
  ],
  [
    'a link out and back in',
    [at('repo/docx/l', { target: '../docx/SKILL.md' })],
    'SKILL_UNSAFE_LINK',
    [at('repo/docx/a/l', { target: '../SKILL.md' })],
  ],
  [
    'a link to nothing',
    [at('repo/docx/l', { target: 'gone' })],
    'SKILL_UNSAFE_LINK',
    [at('repo/docx/l', { target: 'gone' }), at('repo/docx/gone')],
  ],
  [
    'a link to a link',
    [at('repo/docx/a', { target: 'b' }), at('repo/docx/b', { target: 'a' })],
    'SKILL_UNSAFE_LINK',
    [at('repo/docx/a', { target: 'b' }), at('repo/docx/b')],
  ],
  [
    'a link to a hidden file',
    [at('repo/docx/l', { target: '.env' }), at('repo/docx/.env')],
    'SKILL_UNSAFE_LINK',
    [at('repo/docx/l', { target: 'env' }), at('repo/docx/env')],
  ],
  [
    'a link to the skill itself',
    [at('repo/docx/l', { target: '.' })],
    'SKILL_UNSAFE_LINK',
    [at('repo/docx/l', { target: 'a' }), at('repo/docx/a/b')],
  ],
  [
    'a file behind a link',
    [at('repo/docx/l', { target: 'a' }), at('repo/docx/a/x'), at('repo/docx/l/y')],
    'SKILL_NAME_COLLISION',
    [at('repo/docx/l', { target: 'a' }), at('repo/docx/a/x')],
  ],
  [
    'a link over an earlier file',
    [at('repo/docx/a'), at('repo/docx/a', { target: 'SKILL.md' })],
    'SKILL_NAME_COLLISION',
    [at('repo/docx/a'), at('repo/docx/b', { target: 'SKILL.md' })],
  ],
  [
    'two files of one path',
    [at('repo/docx/a'), at('repo/docx/a')],
    'SKILL_NAME_COLLISION',
    [at('repo/docx/a'), at('repo/docx/b')],
  ],
  [
    'two files of one path, once with a dot',
    [at('repo/docx/a'), at('repo/docx/./a')],
    'SKILL_NAME_COLLISION',
    [at('repo/docx/a'), at('repo/docx/b')],
  ],
  [
    'names that differ in case',
    [at('repo/docx/Readme'), at('repo/docx/README')],
    'SKILL_NAME_COLLISION',
    [at('repo/docx/Readme'), at('repo/pdf/README')],
  ],
  [
    'folders that differ in case',
    [at('repo/docx/A/x'), at('repo/docx/a/y')],
    'SKILL_NAME_COLLISION',
    [at('repo/docx/a/x'), at('repo/docx/a/y')],
  ],
  [
    'names that differ in Unicode form',
    [at('repo/docx/caf\u00e9'), at('repo/docx/cafe\u0301')],
    'SKILL_NAME_COLLISION',
    [at('repo/docx/caf\u00e9'), at('repo/docx/cafe')],
  ],
  [
    'a file that is also a folder',
    [at('repo/docx/a'), at('repo/docx/a/b')],
    'SKILL_NAME_COLLISION',
    [at('repo/docx/a'), at('repo/docx/a.b')],
  ],
  ['a line break in a name', [at('repo/docx/a\nb')], 'SKILL_UNSAFE_NAME', [at('repo/docx/a b')]],
  ['an escape sequence in a name', [at('repo/docx/\u001b[2J')], 'SKILL_UNSAFE_NAME', [at('repo/docx/[2J')]],
  [
    'a name of 256 bytes',
    [at(`repo/docx/${'a'.repeat(256)}`)],
    'SKILL_UNSAFE_NAME',
    [at(`repo/docx/${'a'.repeat(255)}`)],
  ],
  [
    'a path of more than 1024 bytes',
    [at(`repo/docx/${'ab/'.repeat(20)}${`${'c'.repeat(200)}/`.repeat(5)}d`)],
    'SKILL_UNSAFE_NAME',
    [at(`repo/docx/${'ab/'.repeat(20)}${`${'c'.repeat(200)}/`.repeat(4)}d`)],
  ],
  [
    '33 nested folders',
    [at(`repo/docx/${'a/'.repeat(32)}b`)],
    'SKILL_UNSAFE_NAME',
    [at(`repo/docx/${'a/'.repeat(31)}b`)],
  ],
  [
    '10,000 nested folders',
    [at(`repo/docx/${'a/'.repeat(10_000)}b`)],
    'SKILL_UNSAFE_NAME',
    [at(`repo/other/${'a/'.repeat(10_000)}b`)],
  ],
  ['513 files', many(512), 'SKILL_TOO_LARGE', many(511)],
  [
    'more than 16 MiB',
    [at('repo/docx/a', { content: Buffer.alloc(16 * mebibyte) })],
    'SKILL_TOO_LARGE',
    [at('repo/docx/a', { content: Buffer.alloc(15 * mebibyte) })],
  ],
];

describe.each(packers)('a %s archive with', (_kind, pack) => {
  test.each(hostile)('%s is refused, and its harmless twin is not', async (_, entries, code, twin) => {
    const bad = await outcome(await pack([skillMd, ...entries]));
    const isWhole = code.startsWith('SOURCE_');
    if (isWhole) expect([bad.code, bad.message]).toEqual([code, expect.stringMatching(/refused/)]);
    else expect([bad.refused, bad.files]).toEqual([[['repo/docx', code]], {}]);
    const good = await outcome(await pack([skillMd, ...twin]));
    expect([good.refused, Object.keys(good.files ?? {})]).toEqual([
      [],
      expect.arrayContaining(['repo/docx/SKILL.md']),
    ]);
  });

  test('one bad skill leaves the others', async () => {
    const bad = at('repo/docx/l', { target: '/etc/passwd' });
    const { files, refused } = await outcome(await pack([skillMd, bad, ...others]));
    expect([refused, Object.keys(files ?? {})]).toEqual([
      [['repo/docx', 'SKILL_UNSAFE_LINK']],
      ['repo/pdf/SKILL.md'],
    ]);
  });
});

describe('a tar archive with', () => {
  test.each([
    [
      'a hard link',
      at('repo/docx/h', { type: 'link', target: 'repo/docx/SKILL.md', content: '' }),
      'SKILL_UNSAFE_LINK',
    ],
    [
      'a hard link out',
      at('repo/docx/h', { type: 'link', target: '/etc/passwd', content: '' }),
      'SKILL_UNSAFE_LINK',
    ],
    ['a device', at('repo/docx/d', { type: 'block-device', content: '' }), 'SKILL_SPECIAL_FILE'],
    ['a terminal', at('repo/docx/d', { type: 'character-device', content: '' }), 'SKILL_SPECIAL_FILE'],
    ['a pipe', at('repo/docx/p', { type: 'fifo', content: '' }), 'SKILL_SPECIAL_FILE'],
  ])('%s is refused; outside a skill it is ignored', async (_, entry, code) => {
    expect((await outcome(await tarOf([skillMd, entry]))).refused).toEqual([['repo/docx', code]]);
    const outside = { ...entry, path: 'repo/elsewhere' };
    expect(Object.keys((await outcome(await tarOf([skillMd, outside]))).files ?? {})).toEqual([
      'repo/docx/SKILL.md',
    ]);
  });

  test.each([1, 600, 1025])('its last %i bytes of content missing is refused as damaged', async (missing) => {
    const whole = await tarOf([skillMd, at('repo/docx/a', { content: 'a'.repeat(1500) })]);
    expect(await outcome(whole.subarray(0, whole.length - 1024 - missing))).toMatchObject({
      code: 'SOURCE_DAMAGED',
    });
    const packed = gzipSync(whole);
    expect(await outcome(packed.subarray(0, packed.length - 20))).toMatchObject({ code: 'SOURCE_DAMAGED' });
  });

  test('a wrong checksum is refused as damaged', async () => {
    const whole = await tarOf([skillMd, at('repo/docx/a')]);
    whole[1024] = 65;
    expect(await outcome(whole)).toMatchObject({ code: 'SOURCE_DAMAGED' });
  });

  test('a small file that unpacks to more than the limit is refused', async () => {
    const zeros = at('repo/zeros', { content: Buffer.alloc(8 * mebibyte) });
    const file = await archive(await tarGzOf([skillMd, zeros]));
    const survey = (bytesMax: number) => surveySource(tarSource(file, 'gzip', bytesMax));
    await expect(survey(4 * mebibyte)).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
    expect((await survey(16 * mebibyte)).skills).toHaveLength(1);
  });
});

describe('a zip archive with', () => {
  test('a device is refused', async () => {
    const device = at('repo/docx/d', { mode: 0o060_644 });
    expect((await outcome(zipOf([skillMd, device]))).refused).toEqual([['repo/docx', 'SKILL_SPECIAL_FILE']]);
  });

  test.each([
    ['an encrypted file', at('repo/docx/a', { flags: 0x801 }), 'SOURCE_UNSUPPORTED'],
    ['a compression that Ambit does not read', at('repo/docx/a', { method: 12 }), 'SOURCE_UNSUPPORTED'],
    [
      'a file that unpacks to more than it declares',
      at('repo/docx/a', { content: 'x'.repeat(1000), declared: 10 }),
      'SOURCE_DAMAGED',
    ],
    ['a file that unpacks to less than it declares', at('repo/docx/a', { declared: 10 }), 'SOURCE_DAMAGED'],
  ])('%s is refused; outside a skill it is not read', async (_, entry, code) => {
    expect(await refusalOf(zipOf([skillMd, entry]))).toBe(code);
    const outside = { ...entry, path: 'repo/elsewhere' };
    expect(Object.keys((await outcome(zipOf([skillMd, outside]))).files ?? {})).toEqual([
      'repo/docx/SKILL.md',
    ]);
  });

  test.each([10, 60])('its last %i bytes missing is refused as damaged', async (missing) => {
    const whole = zipOf([skillMd, at('repo/docx/a')]);
    expect(await outcome(whole.subarray(0, whole.length - missing))).toMatchObject({
      code: 'SOURCE_DAMAGED',
    });
  });

  test('a declared size of terabytes is refused before anything is read', async () => {
    const bomb = Array.from({ length: 300 }, (_, n) => at(`repo/f${n}`, { declared: 4_000_000_000 }));
    expect(await outcome(zipOf([skillMd, ...bomb]))).toMatchObject({ code: 'SOURCE_TOO_LARGE' });
  });
});

/** The code of an archive that is refused while its files are written. */
async function refusalOf(bytes: Uint8Array): Promise<string | undefined> {
  const source = await openArchive(await archive(bytes));
  const { skills } = await surveySource(source);
  return writeSkills(source, skills, await temporaryFolder(), (skill) => skill.folder).then(
    () => undefined,
    (error: InstallError) => error.code,
  );
}

test.each([
  [
    'xz',
    Buffer.from('fd377a585a00', 'hex'),
    'SOURCE_UNSUPPORTED',
    'is compressed with xz, which Ambit does not read; pack it as .zip or .tar.gz',
  ],
  ['zstd', Buffer.from('28b52ffd00', 'hex'), 'SOURCE_UNSUPPORTED', 'is compressed with zstd'],
  ['RAR', Buffer.from('Rar!\x1a'), 'SOURCE_UNSUPPORTED', 'is a RAR archive'],
  [
    'text',
    Buffer.from('hello'),
    'SOURCE_UNSUPPORTED',
    'is not an archive that Ambit reads; use a .zip, .tar or .tar.gz file',
  ],
  ['nothing', Buffer.from(''), 'SOURCE_UNSUPPORTED', 'is not an archive'],
  ['gzip of something else', gzipSync('hello'), 'SOURCE_DAMAGED', 'is damaged'],
])('a file of %s is refused', async (_, bytes, code, words) => {
  expect(await outcome(bytes)).toEqual({ code, message: expect.stringContaining(words) });
});

test('a file that does not exist, or is a folder, is refused', async () => {
  const folder = await temporaryFolder();
  await expect(openArchive(join(folder, 'none'))).rejects.toMatchObject({ code: 'SOURCE_MISSING' });
  await expect(openArchive(folder)).rejects.toMatchObject({ code: 'SOURCE_MISSING' });
});
