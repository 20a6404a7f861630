// Threat model: T4, T9, T109

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { noCapabilities } from '../../../packages/core/src/policy.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { localServer } from '../../support/local-server.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';

/** A host folder with one file to grant to skills. It is not in `/tmp`, because every sandbox has its own `/tmp`. */
async function hostFolder(): Promise<string> {
  const folder = await mkdtemp('/var/tmp/ambit-e2e-');
  afterAll(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'in.txt'), 'hello');
  return folder;
}

const folder = await hostFolder();

/** A granted folder that a deny rule names as well. */
const keys = await hostFolder();

const { port } = await localServer();

/** The output of `git hash-object` for `hello`. */
const helloHash = 'b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0';

/** Typical published skills: a `SKILL.md` and scripts, each of which needs more than its interpreter. */
const published = {
  bash: {
    'scripts/hash.sh': '#!/bin/bash\nset -euo pipefail\nprintf hello | git hash-object --stdin\n',
  },
  node: {
    'scripts/render.mjs':
      "import { execFileSync } from 'node:child_process';\nimport { readFileSync } from 'node:fs';\nprocess.stdout.write(readFileSync(process.argv[2]));\nprocess.stdout.write(execFileSync('perl', ['-e', 'print 6 * 7']));\n",
  },
  python: {
    'scripts/fetch.py': [
      'import subprocess, sys, urllib.error, urllib.request',
      'subprocess.run(["git", "--version"], check=True, stdout=subprocess.DEVNULL)',
      'try: print(urllib.request.urlopen(sys.argv[1]).read().decode())',
      'except urllib.error.HTTPError as error: sys.exit(error.read().decode())',
      '',
    ].join('\n'),
  },
  perl: {
    'scripts/copy.pl':
      '#!/usr/bin/perl\nopen(my $in, "<", $ARGV[0]) or die "$ARGV[0]: $!";\nprint <$in>, `git hash-object $ARGV[0]`;\n$? == 0 or die "sh: 1: git: not found\\n";\n',
  },
};

/** A script, its arguments, its output, the lines that it needs, and the lines that it has before. */
const scripts: readonly [
  id: keyof typeof published,
  args: (at: { port: number; folder: string }) => string[],
  stdout: string,
  grant: (at: { port: number; folder: string }) => string,
  before?: string,
][] = [
  ['bash', () => [], `${helloHash}\n`, () => 'exec: [git]'],
  [
    'node',
    ({ folder }) => [`${folder}/in.txt`],
    'hello42',
    ({ folder }) => `filesystem: { read: [${folder}/in.txt] }, exec: [perl]`,
  ],
  [
    'python',
    ({ port }) => [`http://127.0.0.1:${port}/`],
    'hello\n',
    ({ port }) => `network: [api.example, "http://127.0.0.1:${port}"], exec: [git]`,
    'grants: { python: { network: [api.example] } }',
  ],
  [
    'perl',
    ({ folder }) => [`${folder}/in.txt`],
    `hello${helloHash}\n`,
    ({ folder }) => `filesystem: { read: [${folder}/in.txt] }, exec: [git]`,
  ],
];

describe('a skill runs once each line that its refusals name is applied', () => {
  /** Runs a skill of a folder with these lines in its configuration. Returns the answer, and the line that it names. */
  async function runWith(cwd: string, grants: string, ...args: readonly string[]) {
    await writeFile(join(cwd, 'config.yaml'), `skills: [{ path: ./skills, tier: local }]\n${grants}\n`);
    const ran = await ambit(['run', '--config', 'config.yaml', '--json', ...args], { cwd });
    const answer = JSON.parse(ran.stdout === '' ? ran.stderr : ran.stdout);
    const [denial] = answer.denials ?? answer.error?.details.denials ?? [];
    return { outcome: answer.outcome, remedy: String(denial?.remedy ?? answer.hint) };
  }

  const tried = scripts.filter(([id]) => isWhole || id === 'perl' || id === 'python');

  test.each(tried)('a script in a sandbox: %s', async (id, args, stdout, grant, before = '') => {
    const at = { port, folder };
    const cwd = await temporaryFolder();
    await writeSkills(join(cwd, 'skills'), { [id]: published[id] });
    let grants = before;
    const run = () => runWith(cwd, grants, id, '--', ...args(at));
    let answer = await run();
    for (let tries = 0; answer.outcome?.status !== 'succeeded' && tries < 5; tries++) {
      grants = /grants: \{.*\}/.exec(answer.remedy)?.[0] ?? grants;
      answer = await run();
    }
    expect({ outcome: answer.outcome, grants }).toEqual({
      outcome: { status: 'succeeded', output: { exitCode: 0, stdout, stderr: '' } },
      grants: `grants: { ${id}: { ${grant(at)} } }`,
    });
  });

  test('a script in WebAssembly, whose sidecar also needs a line', async () => {
    const cwd = await temporaryFolder();
    let [network, grants] = [`network: ["127.0.0.1:${port}"]`, ''];
    const script = `import { fetch } from 'ambit';
export default async () => (await fetch('http://127.0.0.1:${port}/')).text();`;
    const run = async () => {
      const sidecar = `run: { runtime: wasm, entry: index.js, capabilities: { ${network}, env: [TZ] } }\n`;
      await writeSkills(join(cwd, 'skills'), { asks: { 'ambit.yaml': sidecar, 'index.js': script } });
      return runWith(cwd, grants, 'asks', '--input', '{}');
    };
    const remedies: string[] = [];
    let answer = await run();
    while (answer.outcome?.status !== 'succeeded' && remedies.length < 5) {
      const { remedy } = answer;
      remedies.push(remedy);
      network = /run\.capabilities: \{ (.*?) \}, and add to ambit.config.yaml: /.exec(remedy)?.[1] ?? network;
      grants = /grants: \{.*\}$/.exec(remedy)?.[0] ?? grants;
      answer = await run();
    }
    const [plain, http] = [`"127.0.0.1:${port}"`, `"http://127.0.0.1:${port}"`];
    expect({ outcome: answer.outcome, remedies }).toEqual({
      outcome: { status: 'succeeded', output: 'hello' },
      remedies: [
        `grants: { asks: { network: [${plain}], env: [TZ] } }`,
        `request it in its ambit.yaml, run.capabilities: { network: [${plain}, ${http}] }, and add to ambit.config.yaml: grants: { asks: { network: [${plain}, ${http}], env: [TZ] } }`,
      ],
    });
  });
});

describe('through a daemon', () => {
  const reads = { 'scripts/read.sh': '#!/bin/sh\ncat "$@"\n' };
  const asked = { exec: ['sh', '@posix'], filesystem: { read: [], write: ['workspace'] } };
  const grant = { filesystem: { read: [folder], write: [] }, exec: ['git'] };
  const all = { exec: asked.exec, filesystem: { read: [folder], write: ['workspace'] } };
  const counts = [
    'import json, os',
    'path, memory = os.environ.get("AMBIT_STATE"), os.environ.get("AMBIT_MEMORY")',
    'if path is None: raise SystemExit(f"no state, memory {memory}")',
    'state = json.load(open(path))',
    'state["calls"] = state.get("calls", 0) + 1',
    'json.dump(state, open(path, "w"))',
    'print(state["calls"], json.load(open(memory)))',
  ].join('\n');

  const shared = sharedDaemon(async (path) => {
    const at = (tier: string) => join(path, tier);
    const keeps = { 'scripts/run.py': counts };
    await writeSkills(at('local'), { reads, other: reads, keeps, forgets: keeps });
    for (const tier of ['untrusted', 'verified']) await writeSkills(at(tier), { [tier]: reads });
    const filesystem = { read: [folder, keys] };
    const capabilities = { exec: ['sh', '@posix'], filesystem };
    const run = { runtime: 'process', entry: 'scripts/read.sh', protocol: 'command', capabilities };
    await writeSkills(at('local'), {
      some: reads,
      each: { ...reads, 'ambit.yaml': JSON.stringify({ run }) },
    });
    return {
      skills: ['local', 'untrusted', 'verified'].map((tier) => ({ path: at(tier), tier })),
      grants: {
        reads: grant,
        untrusted: all,
        verified: all,
        keeps: { state: 'write', memory: 'read' },
        some: { filesystem },
        each: { filesystem },
      },
      deny: { filesystem: { read: [keys] } },
    };
  });

  test('a granted script has what its grant names, and the record says where the request is from', async () => {
    const daemon = shared();
    const call = { args: [join(folder, 'in.txt')] };

    expect((await daemon.execute('reads', call)).body.outcome).toEqual({
      status: 'succeeded',
      output: { exitCode: 0, stdout: 'hello', stderr: '' },
    });
    const all = { ...noCapabilities, exec: ['sh', '@posix', 'git'] };
    const both = { ...all, filesystem: { read: [folder], write: ['workspace'] } };
    const [granted] = await daemon.audit('?limit=1');
    expect(granted.capabilities).toEqual({
      requested: both,
      added: { ...noCapabilities, ...grant },
      granted: both,
      denied: [],
    });

    expect((await daemon.execute('other', call)).body).toMatchObject({
      outcome: { status: 'failed', failure: { exitCode: 1 } },
      hint: `The skill could not read ${folder}/in.txt: its sandbox has only granted paths. To allow it, add to ambit.config.yaml: grants: { other: { filesystem: { read: [${folder}/in.txt] } } }`,
    });
    const [ungranted] = await daemon.audit('?limit=1');
    expect(ungranted.capabilities).toEqual({
      requested: { ...noCapabilities, ...asked },
      granted: { ...noCapabilities, ...asked },
      denied: [],
    });
  });

  test('a caller gets granted paths, and for others the line that grants them', async () => {
    const daemon = shared();
    const narrowed = (read: string[]) => ({
      args: [join(folder, 'in.txt')],
      capabilities: { filesystem: { read } },
    });
    const refused = await daemon.execute('reads', narrowed([folder, '/var/lib']));
    expect({ status: refused.status, denials: refused.body.denials }).toEqual({
      status: 403,
      denials: [
        {
          capability: 'filesystem.read',
          requested: '/var/lib',
          reason: 'is not granted',
          remedy: `grants: { reads: { filesystem: { read: [${folder}, /var/lib] }, exec: [git] } }`,
        },
      ],
    });
    const [record] = await daemon.audit('?limit=1');
    expect(record.capabilities.denied).toEqual(refused.body.denials);
    expect((await daemon.execute('reads', narrowed([join(folder, 'in.txt')]))).body.outcome).toMatchObject({
      status: 'succeeded',
      output: { stdout: 'hello' },
    });
  });

  test('a denied folder is taken from the granted ones, and a call that leaves it out runs', async () => {
    const daemon = shared();
    const execute = async (skill: string, capabilities?: object) => {
      const { status, body } = await daemon.execute(skill, { args: [join(folder, 'in.txt')], capabilities });
      const [{ capabilities: recorded }] = await daemon.audit('?limit=1');
      return [status, body.outcome?.output.stdout ?? body.denials, recorded.granted?.filesystem.read ?? null];
    };
    const reason = `is denied by the rule ${keys}`;
    const remedy = `narrow the call with "capabilities": leave out filesystem.read ${keys}`;
    expect([
      await execute('some'),
      await execute('each'),
      await execute('each', { filesystem: { read: [folder] } }),
    ]).toEqual([
      [200, 'hello', [folder]],
      [403, [{ capability: 'filesystem.read', requested: keys, reason, remedy }], null],
      [200, 'hello', [folder]],
    ]);
  });

  test('a skill of tier untrusted runs no script, even with a grant', async () => {
    const daemon = shared();
    const call = { args: [join(folder, 'in.txt')] };
    expect(await daemon.execute('untrusted', call)).toMatchObject({
      status: 403,
      body: {
        code: 'CAPABILITY_DENIED',
        denials: [{ capability: 'run', reason: 'is not allowed at tier untrusted' }],
      },
    });
    expect((await daemon.execute('verified', call)).body.outcome).toMatchObject({
      output: { stdout: 'hello' },
    });
  });

  test("a script without a sidecar keeps state and reads its caller's memory once both are granted", async () => {
    const call = async (skill: string) =>
      (await shared().execute(skill, { context: { memory: ['likes tea'] } })).body.outcome;
    expect([await call('keeps'), await call('keeps'), await call('forgets')]).toMatchObject([
      { status: 'succeeded', output: { stdout: "1 ['likes tea']\n" } },
      { status: 'succeeded', output: { stdout: "2 ['likes tea']\n" } },
      { status: 'failed', stderr: 'no state, memory None\n' },
    ]);
  });
});
