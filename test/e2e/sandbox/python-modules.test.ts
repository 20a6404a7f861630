// Threat model: T6, T7

import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { httpClient } from '../support/mcp-client.ts';

/** Like published skills whose instructions run `python -m scripts.report FILE`. */
const bench = {
  'SKILL.md':
    '---\nname: bench\ndescription: Reports on files.\n---\nRun `python -m scripts.report FILE` in this folder.\n',
  'scripts/__init__.py': '',
  'scripts/utils.py': 'def shout(text):\n    return text.upper()\n',
  'scripts/report.py': [
    'import argparse',
    'from scripts.utils import shout',
    'parser = argparse.ArgumentParser()',
    'parser.add_argument("file")',
    'print(shout(open(parser.parse_args().file).read()), __name__, __package__)',
    '',
  ].join('\n'),
  'scripts/all.py':
    'import subprocess, sys\nfrom .utils import shout\nprint(shout("all"), flush=True)\nsubprocess.run([sys.executable, "-m", "scripts.report", *sys.argv[1:]], check=True)\n',
  'scripts/versions.py':
    'import subprocess\nfrom . import utils\nprint(subprocess.run(["git", "hash-object", "--stdin"], input=b"", capture_output=True).stdout.decode().strip())\n',
  'viewer/__init__.py': 'title = "viewer"\n',
  'viewer/__main__.py': 'import sys\nfrom . import title\nprint(title, sys.argv[1:])\n',
  'tools/sub/__main__.py': 'from tools.sub import part\nprint(part.name)\n',
  'tools/sub/part.py': 'name = "part"\n',
};

const file = { path: 'in.txt', text: 'abc' };
const wrote = (stdout: string) => ({ status: 'succeeded', output: { exitCode: 0, stdout, stderr: '' } });

/** The same skill with another name. */
const named = (name: string) => ({ ...bench, 'SKILL.md': bench['SKILL.md'].replace('bench', name) });

const shared = sharedDaemon(async (path) => {
  await writeSkills(path, { bench, granted: named('granted'), linked: named('linked') });
  await writeFile(join(path, '../outside.py'), 'print("outside")\n');
  await symlink(join(path, '../outside.py'), join(path, 'linked/leaves.py'));
  await symlink('viewer/__init__.py', join(path, 'linked/stays.py'));
  return {
    bundledSkills: false,
    skills: [{ path, tier: 'local' }],
    grants: { granted: { exec: ['git'] } },
  };
});

test("modules, packages, subfolders and modules that start modules run as in the skill's folder", async () => {
  const daemon = shared();
  const run = async (script: string, args: string[] = [], files = [file]) =>
    (await daemon.execute('bench', { script, args, files })).body.outcome;
  expect([
    await run('-m scripts.report', ['in.txt']),
    await run('python -m scripts.report', ['in.txt']),
    await run('-m scripts.all', ['in.txt']),
    await run('python3 -m viewer', ['-m', 'one']),
    await run('-m tools.sub'),
  ]).toEqual([
    wrote('ABC __main__ scripts\n'),
    wrote('ABC __main__ scripts\n'),
    wrote('ALL\nABC __main__ scripts\n'),
    wrote("viewer ['-m', 'one']\n"),
    wrote('part\n'),
  ]);
});

test("a caller's files are never imported instead of the skill's or Python's own modules", async () => {
  const daemon = shared();
  const names = ['scripts/utils.py', 'scripts/__init__.py', 'runpy.py', 'argparse.py', 'sitecustomize.py'];
  const planted = names.map((path) => ({ path, text: 'raise SystemExit("imported")\n' }));
  const { body } = await daemon.execute('bench', {
    script: '-m scripts.report',
    args: ['in.txt'],
    files: [file, ...planted],
  });
  expect(body.outcome).toEqual(wrote('ABC __main__ scripts\n'));
});

test('only modules of the skill run, and a refusal names them', async () => {
  const daemon = shared();
  const run = (script: string) => daemon.execute('linked', { script });
  const modules =
    'leaves, scripts.all, scripts.report, scripts.utils, scripts.versions, stays, tools.sub, tools.sub.part, viewer';
  for (const name of ['http.server', 'scripts.none', '..outside', '/etc/passwd']) {
    expect((await run(`-m ${name}`)).body).toMatchObject({
      status: 422,
      code: 'INPUT_INVALID',
      detail: `linked has no module "${name}"; it has ${modules}`,
    });
  }
  expect((await run('-m leaves')).body).toMatchObject({
    status: 422,
    code: 'SKILL_INVALID',
    detail:
      'linked: entry leaves.py is a symlink to a file outside the skill folder; put the file itself there',
  });
  expect((await daemon.audit('?skill=linked')).map(({ outcome }) => outcome)).toEqual(
    Array(5).fill('denied'),
  );
  expect((await run('-m stays')).body.outcome).toEqual(wrote(''));
});

test('a grant applies to a module like to any script of the skill', async () => {
  const empty = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n';
  const call = { script: '-m scripts.versions' };
  const refused = await shared().execute('bench', call);
  expect(refused.body).toMatchObject({
    outcome: { status: 'failed' },
    hint: expect.stringMatching(/grants: \{ bench: \{ exec: \[git\] \} \}$/),
  });
  expect((await shared().execute('granted', call)).body.outcome).toEqual(wrote(empty));
});

test('the hint for a script that imports from its package names the module, which then runs', async () => {
  const cwd = await temporaryFolder();
  await writeSkills(join(cwd, 'skills'), { bench });
  await writeFile(join(cwd, 'in.txt'), 'abc');
  await writeFile(join(cwd, 'config.yaml'), 'skills: [{ path: ./skills, tier: local }]\n');
  const where = ['--config', 'config.yaml'];
  const { stdout } = await ambit(['skills', 'show', 'bench', ...where], { cwd });
  expect(stdout).toContain('call it with: ambit run bench --script "-m viewer" -- ARGUMENTS\n');
  const hint = (module: string) =>
    `The script imports from its own package. Run it as a module, with the script "${module}".`;
  const run = ['run', 'bench', '--file', 'in.txt', '--script', 'report.py', ...where, '--', 'in.txt'];
  const { code, stderr } = await ambit(run, { cwd });
  expect({ code, hint: stderr.split('\n').at(-3) }).toEqual({ code: 1, hint: hint('-m scripts.report') });

  const call = { script: 'all.py', args: ['in.txt'], files: [file] };
  const { body } = await shared().execute('bench', call);
  expect([body.outcome.status, body.hint]).toEqual(['failed', hint('-m scripts.all')]);
});

test('a model sees the packages, and runs the module that the instructions name', async () => {
  const client = await httpClient(shared());
  const { structuredContent: _, content: listed } = await client.callTool({ name: 'list_skills' });
  const [{ text } = { text: '' }] = listed as { text: string }[];
  expect(JSON.parse(text).skills[0].scripts.slice(-2)).toEqual(['-m tools.sub', '-m viewer']);
  const { content } = await client.callTool({
    name: 'run_skill_script',
    arguments: { name: 'bench', script: 'python -m scripts.report', args: ['in.txt'], files: [file] },
  });
  expect(content).toEqual([{ type: 'text', text: 'ABC __main__ scripts\n' }]);
});
