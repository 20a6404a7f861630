import { describe, expect, test } from 'vitest';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { httpClient, textOf } from '../support/mcp-client.ts';

const where = 'import json, sys\nprint(json.dumps([sys.platform, sys.argv[1:]]))\n';

const stranger = {
  'scripts/where.py': where,
  'scripts/lines.py':
    'import pathlib, sys\ntext = pathlib.Path(sys.argv[1]).read_text()\npathlib.Path("lines.txt").write_text(str(len(text.splitlines())))\n',
  'scripts/needs.py': 'import no_such_package\nprint(no_such_package)\n',
  'scripts/fetch.py': 'import urllib.request\nurllib.request.urlopen("http://a.example/")\n',
  'scripts/git.py': 'import subprocess\nsubprocess.run(["git", "status"], check=True)\n',
  'scripts/env.py': 'import json, os\nprint(json.dumps(sorted(os.environ)))\n',
  'scripts/run.sh': '#!/bin/sh\necho shell\n',
  'scripts/tool': '#!/usr/bin/env python3\nimport sys\nprint(sys.platform)\n',
  'report/__init__.py': '',
  'report/__main__.py': 'import sys\nfrom . import words\nprint(words.text, sys.platform)\n',
  'report/words.py': 'text = "module"\n',
};

test('Python of an installed skill runs in WebAssembly before its approval, and as a program after it', async () => {
  const source = await temporaryFolder();
  await writeSkills(source, { stranger });
  const daemon = await startDaemon();
  const add = ['skills', 'add', source, '--namespace', 'acme', '--data-dir', daemon.dataDir];
  const { stderr } = await ambit(add);
  expect(stderr).toContain(
    'Python scripts of new skills run in WebAssembly, without network and files of this machine. Other programs do not run yet. Read a skill, then approve it.\n',
  );
  expect(stderr).toContain(
    `Or run: ambit run acme:stranger --script '-m report' --data-dir ${daemon.dataDir} -- --help\n`,
  );
  const call = async (script: string, ...args: string[]) => {
    const { body } = await daemon.execute('acme:stranger', { script, args });
    return body.outcome?.output.stdout ?? body.code;
  };
  expect([await call('where.py', 'a', 'b'), await call('-m report'), await call('run.sh')]).toEqual([
    '["wasi", ["a", "b"]]\n',
    'module wasi\n',
    'CAPABILITY_DENIED',
  ]);

  const { digest } = (await daemon.request('GET', '/installs/acme:stranger')).body;
  const body = { digest, tier: 'verified' };
  expect((await daemon.request('POST', '/installs/acme:stranger/approve', { body })).status).toBe(200);
  expect([await call('where.py', 'a', 'b'), await call('-m report'), await call('run.sh')]).toEqual([
    '["linux", ["a", "b"]]\n',
    'module linux\n',
    'shell\n',
  ]);
});

describe('a daemon with an untrusted skill', () => {
  const grants = { stranger: { env: ['HOME', 'LANG', 'AMBIT_TEST'], state: 'write', exec: ['git'] } };
  const configuration = async (path: string, mcp: object = {}) => {
    await writeSkills(path, { stranger });
    return { bundledSkills: false, skills: [{ path, tier: 'untrusted' }], grants, mcp };
  };
  const shared = sharedDaemon(configuration);

  test('runs its Python with files in and out, and records the workspace as all that it had', async () => {
    const daemon = shared();
    const { status, body } = await daemon.execute('stranger', {
      script: 'lines.py',
      args: ['in.txt'],
      files: [{ path: 'in.txt', text: 'a\nb\n' }],
    });
    expect({ status, outcome: body.outcome.status, files: body.files }).toMatchObject({
      status: 200,
      outcome: 'succeeded',
      files: [{ path: 'lines.txt', change: 'created', text: '2' }],
    });
    const [record] = await daemon.audit('?skill=stranger');
    expect(record).toMatchObject({
      outcome: 'succeeded',
      skill: { tier: 'untrusted' },
      capabilities: {
        requested: { exec: [], env: [], filesystem: { read: [], write: ['workspace'] }, state: 'none' },
        granted: { exec: [], env: [], filesystem: { read: [], write: ['workspace'] }, state: 'none' },
      },
    });
  });

  test('gives its Python no granted variable', async () => {
    const daemon = shared();
    const { body } = await daemon.execute('stranger', { script: 'env.py' });
    expect(JSON.parse(body.outcome.output.stdout)).not.toContain('AMBIT_TEST');
  });

  test('says what a failed script lacks, and how to run it as a program', async () => {
    const daemon = shared();
    const hintOf = async (script: string) => (await daemon.execute('stranger', { script })).body.hint;
    const remedy =
      'To run it as a program, if you trust its source, add to ambit.config.yaml: skills: [{ path: FOLDER, tier: verified }]. "ambit skills show stranger" prints FOLDER';
    expect([await hintOf('needs.py'), await hintOf('git.py')]).toEqual([
      `The skill's output says that it needs the Python package "no-such-package", which Python in WebAssembly does not have. ${remedy}`,
      `The skill starts another program, which is not possible in WebAssembly. ${remedy}`,
    ]);
  });

  test('says that its Python has no network until the skill is trusted', async () => {
    const daemon = shared();
    expect((await daemon.execute('stranger', { script: 'fetch.py' })).body.denials).toEqual([
      {
        capability: 'network',
        requested: 'http://a.example',
        reason: 'is given to a script without a run only once its skill is trusted',
        remedy:
          'if you trust its source, add to ambit.config.yaml: skills: [{ path: FOLDER, tier: verified }]. "ambit skills show stranger" prints FOLDER',
      },
    ]);
  });

  test('refuses its other scripts, and runs Python without an ending', async () => {
    const daemon = shared();
    expect(await daemon.execute('stranger', { script: 'run.sh' })).toMatchObject({
      status: 403,
      body: { denials: [{ capability: 'run', reason: 'is not allowed at tier untrusted' }] },
    });
    const { body } = await daemon.execute('stranger', { script: 'tool' });
    expect(body.outcome.output?.stdout ?? body).toBe('wasi\n');
  });

  test('offers its Python over MCP if untrusted tools are allowed, and nothing otherwise', async () => {
    const listed = async (daemon: Daemon) => {
      const client = await httpClient(daemon, 'modern');
      const text = async (name: string, args: object) =>
        textOf(await client.callTool({ name, arguments: { ...args } }));
      const { skills } = JSON.parse(await text('list_skills', {}));
      return [
        skills[0].scripts,
        await text('run_skill_script', { name: 'stranger', script: 'where.py', args: ['a'] }),
      ];
    };
    expect(await listed(shared())).toEqual([
      undefined,
      'stranger did not run (CAPABILITY_DENIED): stranger is untrusted, and untrusted skills do not run over MCP. The operator can allow it in ambit.config.yaml: mcp: { untrustedTools: true }',
    ]);
    const open = await startDaemon(await configuration(await temporaryFolder(), { untrustedTools: true }));
    expect(await listed(open)).toEqual([
      [
        ...['scripts/env.py', 'scripts/fetch.py', 'scripts/git.py', 'scripts/lines.py'],
        ...['scripts/needs.py', 'scripts/tool', 'scripts/where.py', '-m report'],
      ],
      '["wasi", ["a"]]\n',
    ]);
  });
});
