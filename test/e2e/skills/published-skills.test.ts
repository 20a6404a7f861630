// Threat model: T60, T252

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * A typical published skill: a SKILL.md, scripts that take paths, modules beside them, and no sidecar. Like document tools,
 * it unpacks and packs archives.
 */
const documents = {
  'SKILL.md':
    '---\nname: documents\ndescription: Unpacks and packs office documents.\n---\nRun scripts/unpack.py FILE FOLDER.\n',
  'scripts/unpack.py': [
    '#!/usr/bin/env python3',
    'import sys',
    'from pathlib import Path',
    'from common import extract',
    'document, folder = Path(sys.argv[1]), Path(sys.argv[2])',
    'print(f"{extract(document, folder)} parts")',
    '',
  ].join('\n'),
  'scripts/pack.py': [
    '#!/usr/bin/env python3',
    'import sys, zipfile',
    'from pathlib import Path',
    'folder, document = Path(sys.argv[1]), Path(sys.argv[2])',
    'with zipfile.ZipFile(document, "w") as archive:',
    '    for path in sorted(folder.rglob("*")):',
    '        if path.is_file(): archive.write(path, path.relative_to(folder))',
    '',
  ].join('\n'),
  'scripts/common/__init__.py': [
    'import zipfile',
    'def extract(document, folder):',
    '    with zipfile.ZipFile(document) as archive:',
    '        archive.extractall(folder)',
    '        return len(archive.namelist())',
    '',
  ].join('\n'),
  'scripts/notes.txt': 'not a script',
  'ooxml/scripts/validate.py': 'import sys\nprint("valid", sys.argv[1])\n',
  'recalc.py': 'print("recalculated")\n',
  'test_recalc.py': 'print("a test")\n',
  'lib/helper.py': 'print("a helper")\n',
};

const shell = {
  'scripts/run.sh':
    '#!/bin/bash\nset -euo pipefail\nsort "$1" | uniq -c | awk \'{print $2 "=" $1}\' | tee counts.txt\n',
  'scripts/run.py': 'print("not this one")\n',
};

const shared = sharedDaemon(async (folder) => {
  const path = (tier: string): string => join(folder, tier);
  await writeSkills(path('local'), { documents, counter: shell });
  for (const tier of ['untrusted', 'verified']) await writeSkills(path(tier), { [tier]: shell });
  return { skills: ['local', 'untrusted', 'verified'].map((tier) => ({ path: path(tier), tier })) };
});

describe('a published skill runs unchanged', () => {
  test('one script packs a document and another unpacks it', async () => {
    const daemon = shared();
    const packed = await daemon.execute('documents', {
      script: 'scripts/pack.py',
      args: ['in', 'out.docx'],
      files: [
        { path: 'in/word/document.xml', text: '<w:document/>' },
        { path: 'in/[Content_Types].xml', text: '<Types/>' },
      ],
    });
    expect(packed.body).toMatchObject({
      outcome: { status: 'succeeded', output: { exitCode: 0, stdout: '', stderr: '' } },
      files: [{ path: 'out.docx', change: 'created', base64: expect.stringMatching(/^UEsD/) }],
    });
    const unpacked = await daemon.execute('documents', {
      script: 'unpack.py',
      args: ['out.docx', 'folder'],
      files: [{ path: 'out.docx', base64: packed.body.files[0].base64 }],
    });
    expect(unpacked.body).toMatchObject({
      outcome: { status: 'succeeded', output: { exitCode: 0, stdout: '2 parts\n', stderr: '' } },
      files: [
        { path: 'folder/[Content_Types].xml', change: 'created', bytes: 8, text: '<Types/>' },
        { path: 'folder/word/document.xml', change: 'created', bytes: 13, text: '<w:document/>' },
      ],
    });
  });

  test('a shell script finds the utilities of POSIX, and run.sh comes before run.py', async () => {
    const daemon = shared();
    const answer = await daemon.execute('counter', {
      args: ['words'],
      files: [{ path: 'words', text: 'b\na\nb\n' }],
    });
    expect(answer.body).toMatchObject({
      outcome: { status: 'succeeded', output: { exitCode: 0, stdout: 'a=1\nb=2\n', stderr: '' } },
      files: [{ path: 'counts.txt', change: 'created', text: 'a=1\nb=2\n' }],
    });
  });

  test('a program outside scripts/ runs by its name', async () => {
    const daemon = shared();
    const ran = (stdout: string) => ({
      outcome: { status: 'succeeded', output: { exitCode: 0, stdout, stderr: '' } },
    });
    const validated = await daemon.execute('documents', { script: 'validate.py', args: ['a.docx'] });
    expect(validated.body).toMatchObject(ran('valid a.docx\n'));
    const recalculated = await daemon.execute('documents', { script: 'recalc.py' });
    expect(recalculated.body).toMatchObject(ran('recalculated\n'));
    const helped = await daemon.execute('documents', { script: 'helper.py' });
    expect(helped.body).toMatchObject(ran('a helper\n'));
  });

  test('its listing names the scripts', async () => {
    const daemon = shared();
    const { body } = await daemon.request('GET', '/skills/documents');
    expect({ executable: body.executable, run: body.run, scripts: body.scripts }).toEqual({
      executable: true,
      run: null,
      scripts: [
        { path: 'ooxml/scripts/validate.py', interpreter: 'python3', runtime: 'process' },
        { path: 'recalc.py', interpreter: 'python3', runtime: 'process' },
        { path: 'scripts/pack.py', interpreter: 'python3', runtime: 'process' },
        { path: 'scripts/unpack.py', interpreter: 'python3', runtime: 'process' },
        { path: 'lib/helper.py', interpreter: 'python3', runtime: 'process' },
      ],
    });
  });
});

describe('from the command line', () => {
  test('passes files in and out', async () => {
    const folder = await temporaryFolder();
    await writeSkills(join(folder, 'skills'), { counter: shell });
    await writeFile(join(folder, 'words'), 'b\na\nb\n');
    const config = { skills: [{ path: join(folder, 'skills'), tier: 'local' }] };
    await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
    const options = ['--script', 'run.sh', '--file', 'words', '--save', 'out'];
    const where = ['--config', 'config.yaml', '--data-dir', join(folder, 'data')];
    const ran = await ambit(['run', 'counter', ...options, ...where, '--', 'words'], { cwd: folder });
    expect(ran).toEqual({ code: 0, stdout: 'a=1\nb=2\n', stderr: 'created: counts.txt, 8 bytes\n' });
    expect(await readFile(join(folder, 'out/counts.txt'), 'utf8')).toBe('a=1\nb=2\n');
    await writeFile(join(folder, 'words'), 'c\n');
    const again = await ambit(['run', 'counter', ...options, ...where, '--', 'words'], { cwd: folder });
    expect(again).toMatchObject({
      code: 2,
      stdout: 'c=1\n',
      stderr: expect.stringContaining('USAGE_INVALID: refused to save 1 file (counts.txt): they exist'),
    });
    expect(await readFile(join(folder, 'out/counts.txt'), 'utf8')).toBe('a=1\nb=2\n');
    const forced = await ambit(['run', 'counter', ...options, ...where, '--overwrite', '--', 'words'], {
      cwd: folder,
    });
    expect(forced.stderr).toBe(
      `Replacing 1 file in ${join(folder, 'out')}:\n  counts.txt\ncreated: counts.txt, 4 bytes\n`,
    );
    expect(await readFile(join(folder, 'out/counts.txt'), 'utf8')).toBe('c=1\n');
  });
});

describe('a published skill is refused', () => {
  test.each([
    [
      'with a path out of its folder',
      { script: '../../etc/passwd' },
      'documents has no script "../../etc/passwd"; it has ',
    ],
    [
      'with a file out of the workspace',
      { script: 'pack.py', files: [{ path: '../x', text: '' }] },
      '"../x" is not a path in the workspace',
    ],
    [
      'with two files of one name',
      {
        script: 'pack.py',
        files: [
          { path: 'x', text: '' },
          { path: 'x', text: '' },
        ],
      },
      'the file "x" is listed twice',
    ],
  ])('%s', async (_, body, detail) => {
    const daemon = shared();
    const answer = await daemon.execute('documents', body);
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'INPUT_INVALID', detail: expect.stringContaining(detail) },
    });
  });

  test('at tier untrusted, and runs at tier verified', async () => {
    const daemon = shared();
    expect(await daemon.execute('untrusted', { args: ['/dev/null'] })).toMatchObject({
      status: 403,
      body: { code: 'CAPABILITY_DENIED' },
    });
    expect(await daemon.execute('verified', { args: ['/dev/null'] })).toMatchObject({ status: 200 });
  });
});
