// Threat model: T242

import { expect, test } from 'vitest';
import { parseSource } from './parse-source.ts';

const isThere = (path: string) => ['./skills.tar', 'a.zip', 'here/there', 'odd#name'].includes(path);

test.each([
  ['./skills.tar', { kind: 'path', place: './skills.tar' }],
  ['a.zip', { kind: 'path', place: 'a.zip' }],
  ['a.zip#:docs/skills/', { kind: 'path', place: 'a.zip', folder: 'docs/skills' }],
  ['odd#name', { kind: 'path', place: 'odd#name' }],
  ['here/there', { kind: 'path', place: 'here/there' }],
  ['acme/skills', { kind: 'git', place: 'https://github.com/acme/skills' }],
  ['acme/skills#v1', { kind: 'git', place: 'https://github.com/acme/skills', ref: 'v1' }],
  [
    'acme/skills#v1:docs',
    { kind: 'git', place: 'https://github.com/acme/skills', ref: 'v1', folder: 'docs' },
  ],
  ['acme/skills#:docs', { kind: 'git', place: 'https://github.com/acme/skills', folder: 'docs' }],
  ['https://git.example/a/b.git', { kind: 'git', place: 'https://git.example/a/b.git' }],
  ['https://a.example/skills.tar.gz', { kind: 'archive', place: 'https://a.example/skills.tar.gz' }],
  ['https://a.example/skills.zip?x=1', { kind: 'archive', place: 'https://a.example/skills.zip?x=1' }],
  ['http://127.0.0.1:80/r', { kind: 'git', place: 'http://127.0.0.1/r' }],
  [
    'https://a.example',
    { kind: 'well-known', place: 'https://a.example/.well-known/agent-skills/index.json' },
  ],
  [
    'https://a.example/team/.well-known/agent-skills/index.json#:docx',
    {
      kind: 'well-known',
      place: 'https://a.example/team/.well-known/agent-skills/index.json',
      folder: 'docx',
    },
  ],
  [
    'mcp+https://a.example/mcp#:acme/docx',
    {
      kind: 'mcp',
      place: 'https://a.example/mcp',
      folder: 'acme/docx',
    },
  ],
  ['mcp+http://127.0.0.1:1/mcp', { kind: 'mcp', place: 'http://127.0.0.1:1/mcp' }],
  ['oci://a.example/acme/forms', { kind: 'oci', place: 'https://a.example/v2/acme/forms', ref: 'latest' }],
  [
    'oci://a.example:5000/forms:v1#:docx',
    {
      kind: 'oci',
      place: 'https://a.example:5000/v2/forms',
      ref: 'v1',
      folder: 'docx',
    },
  ],
  [
    `oci://127.0.0.1:5000/forms:v1@sha256:${'a'.repeat(64)}`,
    {
      kind: 'oci',
      place: 'http://127.0.0.1:5000/v2/forms',
      ref: `sha256:${'a'.repeat(64)}`,
    },
  ],
  [
    'https://github.com/o/r/tree/main/skills/pdf%20forms/?tab=readme',
    {
      kind: 'git',
      place: 'https://github.com/o/r',
      ref: 'main',
      folder: 'skills/pdf forms',
      refOrFolder: 'main/skills/pdf forms',
    },
  ],
  [
    'https://github.com/o/r/blob/v1.2/skills/pdf/SKILL.md',
    {
      kind: 'git',
      place: 'https://github.com/o/r',
      ref: 'v1.2',
      folder: 'skills/pdf',
      refOrFolder: 'v1.2/skills/pdf',
    },
  ],
  ['https://github.com/o/r/tree/main', { kind: 'git', place: 'https://github.com/o/r', ref: 'main' }],
  [
    'https://github.com/o/r/blob/main/SKILL.md',
    { kind: 'git', place: 'https://github.com/o/r', ref: 'main' },
  ],
  [
    'https://gitlab.example/g/sub/r/-/tree/main/pdf',
    {
      kind: 'git',
      place: 'https://gitlab.example/g/sub/r',
      ref: 'main',
      folder: 'pdf',
      refOrFolder: 'main/pdf',
    },
  ],
  [
    'https://gitea.example/o/r/src/branch/main/pdf',
    { kind: 'git', place: 'https://gitea.example/o/r', ref: 'main', folder: 'pdf', refOrFolder: 'main/pdf' },
  ],
  [
    'https://github.com/o/r/tree/main#:pdf',
    { kind: 'git', place: 'https://github.com/o/r', ref: 'main', folder: 'pdf' },
  ],
  ['https://a.example/pdf.skill', { kind: 'archive', place: 'https://a.example/pdf.skill' }],
  ['https://a.example/.git', { kind: 'git', place: 'https://a.example/.git' }],
])('reads %s', (typed, expected) => {
  expect(parseSource(typed, isThere)).toEqual(expected);
});

test.each([
  ['./none', '"./none" does not exist; name a .zip or .tar.gz file, a URL, or owner/repository on GitHub'],
  ['', '"" does not exist; name a .zip'],
  ['a/b/c', '"a/b/c" does not exist'],
  [
    'git@github.com:acme/skills',
    '"git@github.com:acme/skills" needs a login on its server; use its https:// address',
  ],
  ['ssh://git@a.example/b', 'needs a login'],
  [
    'svn://a.example/b',
    '"svn://a.example/b" uses the protocol svn, which is not supported; use an https:// address',
  ],
  ['FTP://a.example/b.zip', 'uses the protocol ftp, which is not supported'],
  ['http://a.example/b', '"http://a.example/b" is not encrypted; use its https:// address'],
  [
    'https://user:secret@a.example/b',
    '"https://…@a.example" has a password or token, which would be stored; leave it out, or download the archive yourself and add the file',
  ],
  [
    'https://a.example/b.zip?access_token=0123456789abcdef',
    '"https://a.example/b.zip?…" has a password or token, which would be stored',
  ],
  [
    'mcp+https://a.example/mcp?api_key=0123456789abcdef',
    '"https://a.example/mcp?…" has a password or token, which would be stored',
  ],
  ['a.zip#main', '"a.zip#main" has no branches or commits; to name a folder in it, write #:main'],
  ['https://', 'is not a valid URL'],
  ['https://github.com/o/r/tree/main/a%2F..%2Fb', 'has no valid path; write REPOSITORY#REF:FOLDER'],
  ['https://github.com/o/r/tree/main/%zz', 'has no valid path'],
  ['https://github.com/o/r/blob/main/run.py', 'is a file; name the folder of a skill, or its SKILL.md'],
  [
    'https://github.com/o/r/tree/main/a#readme',
    'names a branch or commit twice; leave out what follows the #',
  ],
  ['https://github.com/o/r/tree/main/a#:b', 'names a folder twice; write REPOSITORY#REF:FOLDER'],
  ['https://github.com/o/r/tree/main#v2:b', 'names a branch or commit twice'],
  ['https://user:secret@github.com/o/r/tree/main/a', 'has a password or token'],
  ['mcp+http://a.example/mcp', '"http://a.example/mcp" is not encrypted'],
  ['mcp+https://user:secret@a.example/mcp', 'has a password or token'],
  ['oci://a.example', '"oci://a.example" has no valid repository; write oci://REGISTRY/REPOSITORY:TAG'],
  ['oci://a.example/Forms', 'has no valid repository'],
  ['oci://a.example/../forms', 'has no valid repository'],
  ['oci://a.example/forms:', 'has an invalid tag'],
  ['oci://a.example/forms@md5:00', 'has an invalid digest; write @sha256: and 64 hexadecimal digits'],
  ['oci://user:secret@a.example/forms', 'has a password or token'],
  ['oci://a.example/forms#v1', 'has no branches or commits'],
  ['https://a.example#main', '"https://a.example#main" has no branches or commits'],
])('refuses %s and says what to write', (typed, message) => {
  expect(() => parseSource(typed, isThere)).toThrow(
    expect.objectContaining({ code: 'SOURCE_UNSUPPORTED', message: expect.stringContaining(message) }),
  );
});
