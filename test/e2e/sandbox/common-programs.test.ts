// Threat model: T64

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findHostProgram } from '../../../packages/runtime/src/index.ts';
import { hasCgroups } from '../../../packages/runtime/src/testing/has-cgroups.ts';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';
import { work } from '../support/usual-work.ts';

/** Programs that skills use, with the arguments that print their version. */
const versions =
  `bash --version, bc --version, bzip2 --version, clang --version, cmake --version, convert-im6.q16 --version,
curl --version, dot -V, exiftool -ver, ffmpeg -version, file --version, g++ --version, gawk --version, gcc --version,
gdb --version, git --version, gnuplot --version, go version, gs --version, gzip --version, java --version, javac --version,
jq --version, less --version, make --version, mvn --version, ninja --version, node --version, npm --version,
openssl version, optipng --version, pandoc --version, pdftotext -v, perl --version, php --version, pngquant --version,
ps --version, psql --version, python3 --version, qpdf --version, R --version, rg --version, rsync --version, ruby --version,
rustc --version, shellcheck --version, soffice --version, sox --version, sqlite3 --version, ssh -V, tar --version,
tesseract --version, tidy --version, tree --version, unzip -v, wget --version, xmllint --version, xsltproc --version,
xz --version, zip --version, zstd --version`
    .split(/,\s/)
    .map((line) => line.split(' '))
    .map(([program = '', ...args]) => ({ program, args }));

/** Java reserves more memory than the limit at its start. Without cgroups the limit applies to reserved memory. */
const needCgroups = ['java', 'javac', 'mvn'];

const hasPrograms = (programs: readonly string[]): boolean =>
  programs.every((program) =>
    program.startsWith('/')
      ? existsSync(program)
      : findHostProgram(program) !== undefined && (hasCgroups || !needCgroups.includes(program)),
  );

/** Programs of every kind: scripts and binaries, with libraries, package folders and links of their own. */
const sample = [
  'bash',
  'gcc',
  'git',
  'jq',
  'node',
  'npm',
  'perl',
  'php',
  'python3',
  'ruby',
  'sqlite3',
  'tar',
];
const present = versions.filter(
  ({ program }) => (isWhole || sample.includes(program)) && hasPrograms([program]),
);
const tasks = work.filter(
  ({ id, exec, needs = [] }) => (isWhole || id === 'compiles-c') && hasPrograms([...exec, ...needs]),
);

const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8', TMPDIR: '/tmp' };

function skillWith(programs: readonly string[], script: string): Record<string, string> {
  const run = {
    runtime: 'process',
    protocol: 'command',
    entry: 'scripts/run.sh',
    capabilities: { exec: ['sh', '@posix', ...programs], filesystem: { write: ['workspace'] } },
    limits: { memoryBytes: 2 ** 31, timeoutMs: 60_000, cpuMs: 60_000, processes: 256 },
  };
  return { 'ambit.yaml': JSON.stringify({ run }), 'scripts/run.sh': `#!/bin/sh\n${script}\n` };
}

const shared = sharedDaemon(async (path) => {
  await writeSkills(path, {
    ...Object.fromEntries(
      present.map(({ program }, index) => [`program-${index}`, skillWith([program], `exec ${program} "$@"`)]),
    ),
    ...Object.fromEntries(tasks.map(({ id, exec, script }) => [id, skillWith(exec, script)])),
  });
  return { skills: [{ path, tier: 'local' }] };
});

test('every common program prints its version in the sandbox as outside (Java needs writable cgroups)', async () => {
  const inside: Record<string, unknown> = {};
  const outside: Record<string, unknown> = {};
  for (const [index, { program, args }] of present.entries()) {
    const { body } = await shared().execute(`program-${index}`, { args });
    inside[program] = body.outcome.output?.stdout ?? body.outcome;
    outside[program] = await promisify(execFile)(program, args, { env, cwd: '/tmp' }).then(
      ({ stdout }) => stdout,
    );
  }
  expect(inside).toEqual(outside);
  expect(Object.keys(inside)).toEqual(expect.arrayContaining(['bash', 'perl', 'tar']));
});

test.each(tasks)('in a sandbox, $does', async ({ id, stdout }) => {
  const { body } = await shared().execute(id, { args: [] });
  expect(body.outcome).toMatchObject({ status: 'succeeded', output: { stdout } });
});

// Each policy needs a daemon of its own.
test('a denied program or path is not exposed by a granted program', async () => {
  const script =
    'import json, os\nprint(json.dumps([os.path.exists(path) for path in ["/usr/bin/sh", "/usr/lib/python3"]]))\n';
  const run = {
    runtime: 'process',
    entry: 'scripts/run.py',
    // A shell script on Debian, and a Python with a package folder.
    capabilities: { exec: ['python3', 'gunzip'] },
  };
  const skills = { looks: { 'ambit.yaml': JSON.stringify({ run }), 'scripts/run.py': script } };
  const path = await temporaryFolder();
  await writeSkills(path, skills);
  const seen = async (deny: object): Promise<unknown> => {
    const daemon = await startDaemon({ skills: [{ path, tier: 'local' }], deny });
    return (await daemon.execute('looks', { input: {} })).body.outcome.output;
  };
  const both = { exec: ['sh'], filesystem: { read: ['/usr/lib/python3/dist-packages'] } };
  // A deny rule around the shared libraries, which every sandbox has, does not affect programs.
  expect([await seen({}), await seen(both), await seen({ filesystem: { read: ['/'] } })]).toEqual([
    ...[
      [true, true],
      [false, false],
      [true, true],
    ],
  ]);
});
