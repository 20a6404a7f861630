// Threat model: T135, T136, T380, T381, T415

import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { isWhole } from '../../../test/support/whole.ts';
import { InstallError, surveySource, writeSkills } from './index.ts';
import { folderSource } from './source/folder-source.ts';
import { openArchive } from './source/open-archive.ts';
import type { Source } from './source/source.ts';
import { tarSource } from './source/tar-source.ts';
import { type ArchiveEntry, tarGzOf, tarOf, zipOf } from './testing/archives.ts';
import { entryAt, hostileEntries, hostileTarEntries } from './testing/hostile-entries.ts';
import { written } from './testing/written.ts';

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

/** Reads an archive and returns the files that it leaves and the refusals of its skills, or its own refusal. */
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
  ['tar', tarOf],
  ['zip', zipOf],
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

  test('has copies of what its skills link to elsewhere in it', async () => {
    const shared = [
      { path: 'repo/docx/scripts/lib.sh', target: '../../lib.sh' },
      { path: 'repo/docx/lib', target: '../lib' },
      { path: 'repo/docx/again', target: 'lib/b.md' },
      { path: 'repo/lib.sh', content: 'true', mode: 0o100_755 },
      { path: 'repo/lib/a/c.md', content: 'c' },
      { path: 'repo/lib/b.md', target: 'a/c.md' },
      { path: 'repo/lib/.env', content: 'SECRET=1' },
      { path: 'repo/lib-not/a', content: 'x' },
      { path: 'repo/pdf/SKILL.md', target: '../lib/pdf.md' },
      { path: 'repo/lib/pdf.md', content: skillMd.content },
      { path: 'repo/other/SKILL.md', target: '../docx/SKILL.md' },
    ];
    expect(await outcome(await pack([skillMd, ...shared]))).toEqual({
      files: {
        'repo/docx/SKILL.md': `644 ${skillMd.content}`,
        'repo/docx/again': '644 c',
        'repo/docx/lib/a/c.md': '644 c',
        'repo/docx/lib/b.md': '644 c',
        'repo/docx/lib/pdf.md': `644 ${skillMd.content}`,
        'repo/docx/scripts/lib.sh': '755 true',
        'repo/pdf/SKILL.md': `644 ${skillMd.content}`,
      },
      refused: [],
    });
  });

  test('has skills in a hidden folder, whose links lead to what is beside them and not to other files of that folder', async () => {
    const skillIn = (name: string, target: string) => [
      { ...skillMd, path: `.claude/skills/${name}/SKILL.md` },
      { path: `.claude/skills/${name}/l`, target },
    ];
    const entries = [
      ...skillIn('beside', '../shared/a'),
      ...skillIn('settings', '../../settings.local.json'),
      ...skillIn('around', '../../../.claude/settings.local.json'),
      { path: '.claude/skills/shared/a', content: 'a' },
      { path: '.claude/settings.local.json', content: '{"env":{"TOKEN":"1"}}' },
    ];
    expect(await outcome(await pack(entries))).toEqual({
      files: {
        '.claude/skills/beside/SKILL.md': `644 ${skillMd.content}`,
        '.claude/skills/beside/l': '644 a',
      },
      refused: [
        ['.claude/skills/around', 'SKILL_UNSAFE_LINK'],
        ['.claude/skills/settings', 'SKILL_UNSAFE_LINK'],
      ],
    });
  });

  test('has no copy of a skill inside another one, where it would be read as a skill without a review', async () => {
    const entries = [
      { path: 'SKILL.md', content: 'x' },
      { path: 'skills/a/SKILL.md', content: skillMd.content },
      { path: 'skills/a/scripts/run.py', content: 'print(1)' },
      { path: 'skills/copied', target: 'a' },
      { path: 'scripts', target: 'skills/a/scripts' },
      { path: 'examples/copied', target: '../skills/a' },
    ];
    const own = { 'SKILL.md': `644 ${skillMd.content}`, 'scripts/run.py': '644 print(1)' };
    const below = (folder: string) =>
      Object.fromEntries(Object.entries(own).map(([path, content]) => [`${folder}/${path}`, content]));
    expect(await outcome(await pack(entries))).toEqual({
      files: {
        'SKILL.md': '644 x',
        ...below('skills/a'),
        ...below('examples/copied'),
        'scripts/run.py': '644 print(1)',
      },
      refused: [],
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

test('more skills than a source may have are refused, and a folder of them is not', async () => {
  const skills = Array.from({ length: 2001 }, (_, at) => ({
    path: `${at % 2}/s${at}/SKILL.md`,
    content: 'x',
  }));
  const source = await openArchive(await archive(zipOf(skills)));
  await expect(surveySource(source)).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
  expect((await surveySource(source, '1')).skills).toHaveLength(1000);
});

const mebibyte = 1024 * 1024;

/** A source whose 2,000 skills each link to a shared folder. */
function sharing(shared: readonly { path: string; bytes: number }[]): Source {
  const read = async () => new Uint8Array();
  return {
    async *entries() {
      for (const file of shared) yield { ...file, kind: 'file', isExecutable: false, read };
      for (let at = 0; at < 2000; at += 1) {
        yield { path: `s${at}/SKILL.md`, kind: 'file', bytes: 1, isExecutable: false, read };
        yield { path: `s${at}/l`, kind: 'symlink', target: '../shared', bytes: 9, isExecutable: false, read };
      }
    },
  };
}

test.each([
  ['one file of 15 MiB', [{ path: 'shared/a', bytes: 15 * mebibyte }], 17],
  [
    'a folder with 90,000 hidden files',
    Array.from({ length: 90_000 }, (_, at) => ({ path: `shared/.a/${at}`, bytes: 0 })),
    11,
  ],
  ['one small file', [{ path: 'shared/a', bytes: 1 }], 2000],
])(
  'of 2,000 skills that link to %s, those within the bounds of all links are installed',
  async (_, shared, installable) => {
    const { skills, refused } = await surveySource(sharing(shared));
    expect([skills.length, refused.length]).toEqual([installable, 2000 - installable]);
    for (const { error } of refused) expect(error.code).toBe('SKILL_TOO_LARGE');
  },
);

test('a folder that is replaced by a link while it is read is refused', async () => {
  const root = await temporaryFolder({ 'repo/a/SKILL.md': skillMd.content, 'other/SKILL.md': 'secret' });
  const read = async (replaced: boolean) => {
    const entries: string[] = [];
    for await (const entry of folderSource(join(root, 'repo')).entries()) {
      if (entry.path !== 'a/SKILL.md') continue;
      if (replaced) {
        await rename(join(root, 'repo/a'), join(root, 'gone'));
        await symlink(join(root, 'other'), join(root, 'repo/a'));
      }
      entries.push(Buffer.from(await entry.read()).toString());
    }
    return entries;
  };
  expect(await read(false)).toEqual([skillMd.content]);
  await expect(read(true)).rejects.toMatchObject({
    code: 'SOURCE_MISSING',
    message: expect.stringContaining('a/SKILL.md was replaced while it was read; try again'),
  });
});

test('a file that is replaced by a larger one or a pipe while it is read is refused', async () => {
  const root = await temporaryFolder({ 'SKILL.md': skillMd.content });
  const read = async (replace: (file: string) => unknown) => {
    for await (const entry of folderSource(root).entries()) {
      await replace(join(root, entry.path));
      return Buffer.from(await entry.read()).toString();
    }
    return undefined;
  };
  const refusal = {
    code: 'SOURCE_MISSING',
    message: expect.stringContaining('SKILL.md was replaced while it was read; try again'),
  };
  expect(await read(() => undefined)).toBe(skillMd.content);
  // Read as a whole, it would be more than a Buffer can have.
  await expect(read((file) => truncate(file, 8 * 1024 ** 3))).rejects.toMatchObject(refusal);
  const pipe = (file: string) => rm(file).then(() => execFileSync('mkfifo', [file]));
  await writeFile(join(root, 'SKILL.md'), skillMd.content);
  await expect(read(pipe)).rejects.toMatchObject(refusal);
});

// The rules are the same for each format. `npm test` tries them on tar: the reader of zip has rules of its own, which would
// hide a missing one. test/e2e/installs/hostile-sources.test.ts has each of them in one of the formats.
describe.each(isWhole ? packers : packers.slice(0, 1))('a %s archive with', (_kind, pack) => {
  test.each(hostileEntries)('%s is refused, and its harmless twin is not', async (_, entries, code, twin) => {
    const bad = await outcome(await pack([skillMd, ...entries]));
    const isSource = code.startsWith('SOURCE_');
    if (isSource) expect([bad.code, bad.message]).toEqual([code, expect.stringMatching(/refused/)]);
    else expect([bad.refused, bad.files]).toEqual([[['repo/docx', code]], {}]);
    const good = await outcome(await pack([skillMd, ...twin]));
    expect([good.refused, Object.keys(good.files ?? {})]).toEqual([
      [],
      expect.arrayContaining(['repo/docx/SKILL.md']),
    ]);
  });

  test.each([
    ['redraws the terminal', 'a\u001b[2J'],
    ['is longer than any', 'f'.repeat(300)],
    ['is folders without end', 'd/'.repeat(3000).slice(0, -1)],
  ])('a folder of a skill whose name %s leaves that skill out', async (_, folder) => {
    const [bad, twin] = [`repo/${folder}/SKILL.md`, 'repo/pdf/SKILL.md'].map((path) => ({
      path,
      content: '',
    }));
    const found = await outcome(await pack([skillMd, bad, twin] as ArchiveEntry[]));
    expect(found.refused).toEqual([[`repo/${folder}`.slice(0, 1024), 'SKILL_UNSAFE_NAME']]);
    expect(Object.keys(found.files ?? {})).toEqual(['repo/docx/SKILL.md', 'repo/pdf/SKILL.md']);
  });

  test('one bad skill leaves the others', async () => {
    const bad = entryAt('repo/docx/l', { target: '/etc/passwd' });
    const { files, refused } = await outcome(await pack([skillMd, bad, ...others]));
    expect([refused, Object.keys(files ?? {})]).toEqual([
      [['repo/docx', 'SKILL_UNSAFE_LINK']],
      ['repo/pdf/SKILL.md'],
    ]);
  });
});

describe('a tar archive with', () => {
  test.each(hostileTarEntries)('%s is refused; outside a skill it is ignored', async (_, entry, code) => {
    expect((await outcome(await tarOf([skillMd, entry]))).refused).toEqual([['repo/docx', code]]);
    const outside = { ...entry, path: 'repo/elsewhere' };
    expect(Object.keys((await outcome(await tarOf([skillMd, outside]))).files ?? {})).toEqual([
      'repo/docx/SKILL.md',
    ]);
  });

  test.each([1, 600, 1025])('its last %i bytes of content missing is refused as damaged', async (missing) => {
    const whole = await tarOf([skillMd, entryAt('repo/docx/a', { content: 'a'.repeat(1500) })]);
    expect(await outcome(whole.subarray(0, whole.length - 1024 - missing))).toMatchObject({
      code: 'SOURCE_DAMAGED',
    });
    const packed = gzipSync(whole);
    expect(await outcome(packed.subarray(0, packed.length - 20))).toMatchObject({ code: 'SOURCE_DAMAGED' });
  });

  test('a wrong checksum is refused as damaged', async () => {
    const whole = await tarOf([skillMd, entryAt('repo/docx/a')]);
    whole[1024] = 65;
    expect(await outcome(whole)).toMatchObject({ code: 'SOURCE_DAMAGED' });
  });

  test('a small file that unpacks to more than the limit is refused', async () => {
    const zeros = entryAt('repo/zeros', { content: Buffer.alloc(8 * mebibyte) });
    const file = await archive(await tarGzOf([skillMd, zeros]));
    const survey = (bytesMax: number) => surveySource(tarSource(file, 'gzip', bytesMax));
    await expect(survey(4 * mebibyte)).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
    expect((await survey(16 * mebibyte)).skills).toHaveLength(1);
  });
});

describe('a zip archive with', () => {
  test('a device is refused', async () => {
    const device = entryAt('repo/docx/d', { mode: 0o060_644 });
    expect((await outcome(zipOf([skillMd, device]))).refused).toEqual([['repo/docx', 'SKILL_SPECIAL_FILE']]);
  });

  test.each([
    ['an encrypted file', entryAt('repo/docx/a', { flags: 0x801 }), 'SOURCE_UNSUPPORTED'],
    ['a compression that Ambit does not read', entryAt('repo/docx/a', { method: 12 }), 'SOURCE_UNSUPPORTED'],
    [
      'a file that unpacks to more than it declares',
      entryAt('repo/docx/a', { content: 'x'.repeat(1000), declared: 10 }),
      'SOURCE_DAMAGED',
    ],
    [
      'a file that unpacks to less than it declares',
      entryAt('repo/docx/a', { declared: 10 }),
      'SOURCE_DAMAGED',
    ],
  ])('%s is refused; outside a skill it is not read', async (_, entry, code) => {
    expect(await refusalOf(zipOf([skillMd, entry]))).toBe(code);
    const outside = { ...entry, path: 'repo/elsewhere' };
    expect(Object.keys((await outcome(zipOf([skillMd, outside]))).files ?? {})).toEqual([
      'repo/docx/SKILL.md',
    ]);
  });

  test.each([10, 60])('its last %i bytes missing is refused as damaged', async (missing) => {
    const whole = zipOf([skillMd, entryAt('repo/docx/a')]);
    expect(await outcome(whole.subarray(0, whole.length - missing))).toMatchObject({
      code: 'SOURCE_DAMAGED',
    });
  });

  test('a declared size of terabytes is refused before anything is read', async () => {
    const bomb = Array.from({ length: 300 }, (_, n) => entryAt(`repo/f${n}`, { declared: 4_000_000_000 }));
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
