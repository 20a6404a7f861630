import type { InstallErrorCode } from '../install-error.ts';
import type { ArchiveEntry } from './archives.ts';

/** An entry with a short content. */
export const entryAt = (path: string, rest: Omit<ArchiveEntry, 'path'> = {}): ArchiveEntry => ({
  path,
  content: 'x',
  ...rest,
});

const many = (count: number) => Array.from({ length: count }, (_, n) => entryAt(`repo/docx/f${n}`));
const mebibyte = 1024 * 1024;

/** Entries beside a harmless skill, the code of their refusal, and the nearest entries that are accepted. */
export const hostileEntries: readonly [string, ArchiveEntry[], InstallErrorCode, ArchiveEntry[], string?][] =
  [
    ['a path that leads out', [entryAt('../evil')], 'SOURCE_UNSAFE_PATH', [entryAt('repo/docx/..evil')]],
    [
      'a path that leads out from inside',
      [entryAt('repo/docx/../../../evil')],
      'SOURCE_UNSAFE_PATH',
      [entryAt('repo/docx/./a')],
    ],
    [
      'a path that leads out and back',
      [entryAt('repo/../repo/docx/a')],
      'SOURCE_UNSAFE_PATH',
      [entryAt('repo//docx/a')],
    ],
    [
      'an absolute path',
      [entryAt('/etc/cron.d/evil')],
      'SOURCE_UNSAFE_PATH',
      [entryAt('repo/docx/etc/cron.d/evil')],
    ],
    ['a drive', [entryAt('C:/evil')], 'SOURCE_UNSAFE_PATH', [entryAt('repo/docx/C-evil')]],
    ['a UNC path', [entryAt('\\\\host\\share')], 'SOURCE_UNSAFE_PATH', [entryAt('repo/docx/host')]],
    ['a backslash', [entryAt('repo\\docx\\a')], 'SOURCE_UNSAFE_PATH', [entryAt('repo/docx/a')]],
    [
      'a link to an absolute path',
      [entryAt('repo/docx/l', { target: '/etc/passwd' })],
      'SKILL_UNSAFE_LINK',
      [entryAt('repo/l', { target: '/etc/passwd' })],
    ],
    [
      'a link out of the skill',
      [entryAt('repo/docx/l', { target: '../README.md' })],
      'SKILL_UNSAFE_LINK',
      [entryAt('repo/docx/l', { target: 'SKILL.md' })],
    ],
    [
      'a link out and back in',
      [entryAt('repo/docx/l', { target: '../docx/SKILL.md' })],
      'SKILL_UNSAFE_LINK',
      [entryAt('repo/docx/a/l', { target: '../SKILL.md' })],
    ],
    [
      'a link to nothing',
      [entryAt('repo/docx/l', { target: 'gone' })],
      'SKILL_UNSAFE_LINK',
      [entryAt('repo/docx/l', { target: 'gone' }), entryAt('repo/docx/gone')],
    ],
    [
      'a link to a link',
      [entryAt('repo/docx/a', { target: 'b' }), entryAt('repo/docx/b', { target: 'a' })],
      'SKILL_UNSAFE_LINK',
      [entryAt('repo/docx/a', { target: 'b' }), entryAt('repo/docx/b')],
    ],
    [
      'a link to a hidden file',
      [entryAt('repo/docx/l', { target: '.env' }), entryAt('repo/docx/.env')],
      'SKILL_UNSAFE_LINK',
      [entryAt('repo/docx/l', { target: 'env' }), entryAt('repo/docx/env')],
    ],
    [
      'a link to the skill itself',
      [entryAt('repo/docx/l', { target: '.' })],
      'SKILL_UNSAFE_LINK',
      [entryAt('repo/docx/l', { target: 'a' }), entryAt('repo/docx/a/b')],
    ],
    [
      'a file behind a link',
      [entryAt('repo/docx/l', { target: 'a' }), entryAt('repo/docx/a/x'), entryAt('repo/docx/l/y')],
      'SKILL_NAME_COLLISION',
      [entryAt('repo/docx/l', { target: 'a' }), entryAt('repo/docx/a/x')],
    ],
    [
      'a link over an earlier file',
      [entryAt('repo/docx/a'), entryAt('repo/docx/a', { target: 'SKILL.md' })],
      'SKILL_NAME_COLLISION',
      [entryAt('repo/docx/a'), entryAt('repo/docx/b', { target: 'SKILL.md' })],
    ],
    [
      'two files of one path',
      [entryAt('repo/docx/a'), entryAt('repo/docx/a')],
      'SKILL_NAME_COLLISION',
      [entryAt('repo/docx/a'), entryAt('repo/docx/b')],
    ],
    [
      'two files of one path, once with a dot',
      [entryAt('repo/docx/a'), entryAt('repo/docx/./a')],
      'SKILL_NAME_COLLISION',
      [entryAt('repo/docx/a'), entryAt('repo/docx/b')],
    ],
    [
      'names that differ in case',
      [entryAt('repo/docx/Readme'), entryAt('repo/docx/README')],
      'SKILL_NAME_COLLISION',
      [entryAt('repo/docx/Readme'), entryAt('repo/pdf/README')],
    ],
    [
      'folders that differ in case',
      [entryAt('repo/docx/A/x'), entryAt('repo/docx/a/y')],
      'SKILL_NAME_COLLISION',
      [entryAt('repo/docx/a/x'), entryAt('repo/docx/a/y')],
    ],
    [
      'names that differ in Unicode form',
      [entryAt('repo/docx/caf\u00e9'), entryAt('repo/docx/cafe\u0301')],
      'SKILL_NAME_COLLISION',
      [entryAt('repo/docx/caf\u00e9'), entryAt('repo/docx/cafe')],
    ],
    [
      'a file that is also a folder',
      [entryAt('repo/docx/a'), entryAt('repo/docx/a/b')],
      'SKILL_NAME_COLLISION',
      [entryAt('repo/docx/a'), entryAt('repo/docx/a.b')],
    ],
    ['a line break in a name', [entryAt('repo/docx/a\nb')], 'SKILL_UNSAFE_NAME', [entryAt('repo/docx/a b')]],
    [
      'an escape sequence in a name',
      [entryAt('repo/docx/\u001b[2J')],
      'SKILL_UNSAFE_NAME',
      [entryAt('repo/docx/[2J')],
    ],
    [
      'a name of 256 bytes',
      [entryAt(`repo/docx/${'a'.repeat(256)}`)],
      'SKILL_UNSAFE_NAME',
      [entryAt(`repo/docx/${'a'.repeat(255)}`)],
    ],
    [
      'a path of more than 1024 bytes',
      [entryAt(`repo/docx/${'ab/'.repeat(20)}${`${'c'.repeat(200)}/`.repeat(5)}d`)],
      'SKILL_UNSAFE_NAME',
      [entryAt(`repo/docx/${'ab/'.repeat(20)}${`${'c'.repeat(200)}/`.repeat(4)}d`)],
    ],
    [
      '33 nested folders',
      [entryAt(`repo/docx/${'a/'.repeat(32)}b`)],
      'SKILL_UNSAFE_NAME',
      [entryAt(`repo/docx/${'a/'.repeat(31)}b`)],
    ],
    [
      '10,000 nested folders',
      [entryAt(`repo/docx/${'a/'.repeat(10_000)}b`)],
      'SKILL_UNSAFE_NAME',
      [entryAt(`repo/other/${'a/'.repeat(10_000)}b`)],
    ],
    ['513 files', many(512), 'SKILL_TOO_LARGE', many(511)],
    [
      'more than 16 MiB',
      [entryAt('repo/docx/a', { content: Buffer.alloc(16 * mebibyte) })],
      'SKILL_TOO_LARGE',
      [entryAt('repo/docx/a', { content: Buffer.alloc(15 * mebibyte) })],
    ],
  ];

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
