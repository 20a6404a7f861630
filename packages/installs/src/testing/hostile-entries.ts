import type { InstallErrorCode } from '@ambit/core/outcome';
import type { ArchiveEntry } from './archives.ts';

/** An entry with a short content. */
export const entryAt = (path: string, rest: Omit<ArchiveEntry, 'path'> = {}): ArchiveEntry => ({
  path,
  content: 'x',
  ...rest,
});

/** A file of the harmless skill. */
const own = (path: string, content: string | Uint8Array = 'x'): ArchiveEntry =>
  entryAt(`repo/docx/${path}`, { content });
const link = (path: string, target: string): ArchiveEntry => entryAt(`repo/docx/${path}`, { target });
const many = (count: number) => Array.from({ length: count }, (_, n) => own(`f${n}`));
const mebibyte = 1024 * 1024;
const large = Buffer.alloc(mebibyte);
const links = (count: number) => Array.from({ length: count }, (_, n) => link(`l${n}`, '../large'));
/** Files of a folder that two skills share. */
const some = (count: number) => Array.from({ length: count }, (_, n) => entryAt(`repo/shared/f${n}`));
const [long, part] = ['ab/'.repeat(20), `${'c'.repeat(200)}/`];

type HostileEntries = [string, ArchiveEntry[], InstallErrorCode, ArchiveEntry[]];
type Case = [claim: string, entries: ArchiveEntry[], twin: ArchiveEntry[]];

const cases: Readonly<Partial<Record<InstallErrorCode, readonly Case[]>>> = {
  SOURCE_UNSAFE_PATH: [
    ['a path that leads out', [entryAt('../evil')], [own('..evil')]],
    ['a path that leads out from inside', [own('../../../evil')], [own('./a')]],
    ['a path that leads out and back', [entryAt('repo/../repo/docx/a')], [entryAt('repo//docx/a')]],
    ['an absolute path', [entryAt('/etc/cron.d/evil')], [own('etc/cron.d/evil')]],
    ['a drive', [entryAt('C:/evil')], [own('C-evil')]],
    ['a UNC path', [entryAt('\\\\host\\share')], [own('host')]],
    ['a backslash', [entryAt('repo\\docx\\a')], [own('a')]],
  ],
  SKILL_UNSAFE_LINK: [
    [
      'a link to an absolute path',
      [link('l', '/etc/passwd')],
      [entryAt('repo/l', { target: '/etc/passwd' })],
    ],
    [
      'a link out of the source',
      [link('l', '../../../README.md')],
      [link('l', '../../README.md'), entryAt('README.md')],
    ],
    [
      'a link out of the source by way of another link',
      [link('l', '../mid'), entryAt('repo/mid', { target: '../../README.md' })],
      [link('l', '../mid'), entryAt('repo/mid', { target: '../README.md' }), entryAt('README.md')],
    ],
    [
      'a link out of the source by way of a folder',
      [link('l', '../shared'), entryAt('repo/shared/out', { target: '/etc/passwd' })],
      [link('l', '../shared'), entryAt('repo/shared/out', { target: '../a' }), entryAt('repo/a')],
    ],
    ['an absolute path of its own file', [link('l', '/repo/docx/SKILL.md')], [link('l', '../docx/SKILL.md')]],
    ['a link to the folder above', [link('l', '..')], [link('l', '../shared'), entryAt('repo/shared/a')]],
    [
      'folders that link to each other',
      [link('l', '../shared'), entryAt('repo/shared/back', { target: '../docx' })],
      [link('l', '../shared'), entryAt('repo/shared/more', { target: '../more' }), entryAt('repo/more/a')],
    ],
    [
      'a link to a hidden file of the source',
      [link('l', '../.env'), entryAt('repo/.env')],
      [link('l', '../env'), entryAt('repo/env')],
    ],
    [
      'a link by way of a hidden folder',
      [link('l', '../.git/../a'), entryAt('repo/a')],
      [link('l', '../git/../a'), entryAt('repo/a')],
    ],
    ['a link to nothing', [link('l', 'gone')], [link('l', 'gone'), own('gone')]],
    ['a link to a link', [link('a', 'b'), link('b', 'a')], [link('a', 'b'), own('b')]],
    ['a link to a hidden file', [link('l', '.env'), own('.env')], [link('l', 'env'), own('env')]],
    ['a link to the skill itself', [link('l', '.')], [link('l', 'a'), own('a/b')]],
  ],
  SKILL_NAME_COLLISION: [
    ['a file behind a link', [link('l', 'a'), own('a/x'), own('l/y')], [link('l', 'a'), own('a/x')]],
    ['a link over an earlier file', [own('a'), link('a', 'SKILL.md')], [own('a'), link('b', 'SKILL.md')]],
    ['two files of one path', [own('a'), own('a')], [own('a'), own('b')]],
    ['two files of one path, once with a dot', [own('a'), own('./a')], [own('a'), own('b')]],
    [
      'names that differ in case',
      [own('Readme'), own('README')],
      [own('Readme'), entryAt('repo/pdf/README')],
    ],
    ['folders that differ in case', [own('A/x'), own('a/y')], [own('a/x'), own('a/y')]],
    [
      'names that differ in Unicode form',
      [own('caf\u00e9'), own('cafe\u0301')],
      [own('caf\u00e9'), own('cafe')],
    ],
    [
      'a link to one of two files of one path',
      [link('l', '../a'), entryAt('repo/a'), entryAt('repo/a')],
      [link('l', '../a'), entryAt('repo/a')],
    ],
    ['a file that is also a folder', [own('a'), own('a/b')], [own('a'), own('a.b')]],
  ],
  SKILL_UNSAFE_NAME: [
    ['a line break in a name', [own('a\nb')], [own('a b')]],
    ['an escape sequence in a name', [own('\u001b[2J')], [own('[2J')]],
    ['a name of 256 bytes', [own('a'.repeat(256))], [own('a'.repeat(255))]],
    [
      'a path of more than 1024 bytes',
      [own(`${long}${part.repeat(5)}d`)],
      [own(`${long}${part.repeat(4)}d`)],
    ],
    ['33 nested folders', [own(`${'a/'.repeat(32)}b`)], [own(`${'a/'.repeat(31)}b`)]],
    [
      '10,000 nested folders',
      [own(`${'a/'.repeat(10_000)}b`)],
      [entryAt(`repo/other/${'a/'.repeat(10_000)}b`)],
    ],
  ],
  SKILL_TOO_LARGE: [
    ['513 files', many(512), many(511)],
    [
      '513 files, some of them by a link',
      [...many(100), ...some(412), link('l', '../shared')],
      [...many(99), ...some(412), link('l', '../shared')],
    ],
    [
      'more than 16 MiB by links to one file',
      [...links(17), entryAt('repo/large', { content: large })],
      [...links(15), entryAt('repo/large', { content: large })],
    ],
    ['more than 16 MiB', [own('a', Buffer.alloc(16 * mebibyte))], [own('a', Buffer.alloc(15 * mebibyte))]],
  ],
};

/** Entries beside a harmless skill, the code of their refusal, and the nearest entries that are accepted. */
export const hostileEntries: readonly HostileEntries[] = Object.entries(cases).flatMap(([code, some]) =>
  some.map(([claim, entries, twin]): HostileEntries => [claim, entries, code as InstallErrorCode, twin]),
);

/** The same for entries that only a tar archive can have. */
export const hostileTarEntries: readonly [string, ArchiveEntry, InstallErrorCode][] = [
  [
    'a hard link',
    entryAt('repo/docx/h', { type: 'link', target: 'repo/docx/SKILL.md', content: '' }),
    'SKILL_UNSAFE_LINK',
  ],
  [
    'a hard link out',
    entryAt('repo/docx/h', { type: 'link', target: '/etc/passwd', content: '' }),
    'SKILL_UNSAFE_LINK',
  ],
  ['a device', entryAt('repo/docx/d', { type: 'block-device', content: '' }), 'SKILL_SPECIAL_FILE'],
  ['a terminal', entryAt('repo/docx/d', { type: 'character-device', content: '' }), 'SKILL_SPECIAL_FILE'],
  ['a pipe', entryAt('repo/docx/p', { type: 'fifo', content: '' }), 'SKILL_SPECIAL_FILE'],
];
