import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit, trust } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A folder with these skills, and a configuration for `--config`, which needs no trust. */
async function folderWith(skills: Parameters<typeof writeSkills>[1]): Promise<string> {
  const cwd = await temporaryFolder({ 'c.yaml': 'skills: [{ path: ./skills, tier: local }]\n' });
  await writeSkills(join(cwd, 'skills'), skills);
  return cwd;
}

const listing = '#!/bin/sh\nfind . -type f | sort\n';

describe('ambit run without a configuration', () => {
  test('prints which configuration was used and, in a skill folder, a command that then makes the skill run', async () => {
    const cwd = await temporaryFolder();
    await writeSkills(cwd, { mine: { 'scripts/run.sh': '#!/bin/sh\necho hello\n' } });
    const folder = join(cwd, 'mine');
    expect(await ambit(['run', 'mine'], { cwd: folder })).toEqual({
      code: 3,
      stdout: '',
      stderr: `ambit: SKILL_NOT_FOUND: skill "mine" does not exist. The configuration is defaults, for the user, because no project was found in ${folder} or above, and ${process.env['XDG_CONFIG_HOME']}/ambit/ambit.config.yaml does not exist. To run the skill in this folder, a trusted configuration has to list its folder. A person decides that, in a terminal\nTo list the skills, run: ambit skills list\n`,
    });

    await writeFile(join(cwd, 'ambit.config.yaml'), 'skills: [{ path: "./mine", tier: local }]\n');
    await trust(cwd);
    expect(await ambit(['run', 'mine'], { cwd: folder })).toEqual({ code: 0, stdout: 'hello\n', stderr: '' });
  });

  test('in a project, names the command that makes its skill available', async () => {
    const cwd = await temporaryFolder();
    await writeSkills(join(cwd, 'skills'), { mine: { 'scripts/run.sh': '#!/bin/sh\necho hello\n' } });
    const { stderr } = await ambit(['run', 'mine'], { cwd });
    expect(stderr).toContain(
      '. To run the skill in skills/mine, a trusted configuration has to list its folder. A person decides that, in a terminal\n',
    );
  });

  test('makes a published skill run after the line that ambit skills show prints is added', async () => {
    const cwd = await temporaryFolder();
    const skills = join(cwd, '.claude/skills');
    await writeSkills(skills, { mine: { 'scripts/run.sh': '#!/bin/sh\necho hello\n' } });
    const refused = await ambit(['run', 'mine'], { cwd });
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('"ambit skills show mine" prints'),
    });
    const { stdout } = await ambit(['skills', 'show', 'mine'], { cwd });
    const [, line = ''] = /add to ambit\.config\.yaml: (.*)$/m.exec(stdout) ?? [];
    expect(line).toBe(`skills: [{ path: "${skills}/mine", tier: verified }]`);
    await writeFile(join(cwd, 'ambit.config.yaml'), line);
    await trust(cwd);
    expect(await ambit(['run', 'mine'], { cwd })).toEqual({ code: 0, stdout: 'hello\n', stderr: '' });
    expect((await ambit(['skills', 'show', 'mine'], { cwd })).stdout).not.toContain('ambit.config.yaml');
  });

  test("in a project whose configuration lacks the skill's folder, names the line to add", async () => {
    const cwd = await temporaryFolder({ 'ambit.config.yaml': 'bundledSkills: true\n' });
    await trust(cwd);
    await writeSkills(join(cwd, 'more'), { mine: { 'scripts/run.sh': listing } });
    const { stderr } = await ambit(['run', 'mine'], { cwd: join(cwd, 'more/mine/scripts') });
    expect(stderr).toContain(
      `The configuration is ${cwd}/ambit.config.yaml, of the project found at ${cwd}. It does not include this skill's folder. Add to its skills: { path: "./more/mine", tier: local }\n`,
    );
  });
});

test('a configured skill folder that does not exist is named by the list and by a call', async () => {
  const cwd = await temporaryFolder({ 'c.yaml': 'skills: [{ path: ./gone, tier: local }]' });
  const at = { cwd };
  const missing = `skills.0.path: the folder ${cwd}/gone does not exist`;
  expect((await ambit(['skills', 'list', '--config', 'c.yaml'], at)).stderr).toBe(`warning: ${missing}\n`);
  expect((await ambit(['run', 'mine', '--config', 'c.yaml'], at)).stderr).toBe(
    `ambit: SKILL_NOT_FOUND: skill "mine" does not exist. The configuration is ${cwd}/c.yaml, named by --config. ${missing}\nTo list the skills, run: ambit skills list --config c.yaml\n`,
  );
});

test('the next step for an invalid skill names its folder', async () => {
  const cwd = await temporaryFolder({ 'c.yaml': 'skills: [{ path: ./mine, tier: local }]' });
  await writeSkills(cwd, { mine: { 'ambit.yaml': 'run: {' } });
  const next = `\nTo list every problem of this skill, run: ambit skills validate ${cwd}/mine\n`;
  for (const command of ['run', 'skills show'])
    expect((await ambit([...command.split(' '), 'mine', '--config', 'c.yaml'], { cwd })).stderr).toContain(
      next,
    );
});

test('ambit run --file accepts files, folders and targets', async () => {
  const cwd = await folderWith({ list: { 'scripts/run.sh': listing } });
  await mkdir(join(cwd, 'in/deep'), { recursive: true });
  for (const path of ['a.txt', 'k=v.txt', 'in/b.txt', 'in/deep/c.txt'])
    await writeFile(join(cwd, path), path);
  const files = ['a.txt', 'k=v.txt', 'a.txt=x/y.txt', 'a.txt=into/', 'in', 'in=other', 'in=.'];
  const given = files.flatMap((file) => ['--file', file]);
  expect(await ambit(['run', 'list', '--config', 'c.yaml', ...given], { cwd })).toEqual({
    code: 0,
    stderr: '',
    stdout: `${['a.txt', 'b.txt', 'deep/c.txt', 'in/b.txt', 'in/deep/c.txt', 'into/a.txt', 'k=v.txt', 'other/b.txt', 'other/deep/c.txt', 'x/y.txt'].map((path) => `./${path}`).join('\n')}\n`,
  });
});

describe('a run that fails because of its sandbox gets a hint', () => {
  const wasm = { 'ambit.yaml': 'run: { runtime: wasm, entry: index.js }' };
  const cases: [string, Record<string, string>, string | undefined][] = [
    [
      'a Python module',
      { 'scripts/run.py': 'import no_such_module.part\n' },
      'The skill\'s output says that it needs the Python package "no-such-module" (module "no_such_module"), which is not in its sandbox. Check that name. Then put the package into the skill\'s folder, or install it for the Python of this system, not in a virtual environment.',
    ],
    [
      'a Perl module',
      { 'scripts/run.pl': '#!/usr/bin/perl\nuse No::Such;\n' },
      'The skill\'s output says that it needs the Perl module "No::Such", which is not in its sandbox. Put it into the skill\'s folder, or install it for the Perl of this system.',
    ],
    [
      'a program of a POSIX shell',
      { 'scripts/run.sh': '#!/bin/sh\nno-such-program x\n' },
      'The skill\'s output says that it starts "no-such-program", which is not in its sandbox. If this machine lacks it too, install it first. To allow it, add to ambit.config.yaml: grants: { broken: { exec: [no-such-program] } }',
    ],
    [
      'a library of a compiled program, as the loader says it',
      {
        'scripts/run.sh':
          '#!/bin/sh\necho "tool: error while loading shared libraries: libx.so.1: cannot open shared object file" >&2\nexit 127\n',
      },
      'The skill\'s output says that a program needs the library "libx.so.1", which is not in its sandbox. If the library is in the program\'s own folder, grant that folder under filesystem.read.',
    ],
    [
      'the network',
      { 'scripts/run.py': 'import urllib.request\nurllib.request.urlopen("http://name.invalid")\n' },
      'The skill tried to reach the network, which is not granted. To allow it, add to ambit.config.yaml: grants: { broken: { network: [host.example] } }',
    ],
    [
      'a path that is named on stdout alone',
      {
        'scripts/run.py':
          'import pathlib, sys\ntry: pathlib.Path("/srv/out/new").mkdir(parents=True)\nexcept OSError as error: sys.exit(print(f"Error: {error}") or 1)\n',
      },
      'The skill could not write /srv: its sandbox has only granted paths. To allow it, add to ambit.config.yaml: grants: { broken: { filesystem: { write: [/srv] } } }',
    ],
    [
      'fetch in a script',
      { ...wasm, 'index.js': 'export default () => fetch("http://name.invalid");' },
      "Scripts have no global fetch. Write: import { fetch } from 'ambit'. Request the host under run.capabilities.network in its ambit.yaml, and grant it under grants in ambit.config.yaml.",
    ],
    [
      'require in a script',
      { ...wasm, 'index.js': 'export default () => require("fs");' },
      'WebAssembly scripts have no require: they run in QuickJS, not in Node.js. Remove it, or run the skill as a program: run.runtime: process.',
    ],
    ['nothing that is known', { 'scripts/run.sh': '#!/bin/sh\necho no >&2\nexit 3\n' }, undefined],
  ];
  const chatty = {
    'ambit.yaml': 'run: { runtime: process, entry: scripts/run.sh, capabilities: { exec: [sh] } }',
    'scripts/run.sh': '#!/bin/sh\necho Loading "model…"\n',
  };
  const shared = sharedDaemon(async (skills) => {
    const broken = cases.map(([, files], at) => [`broken-${at}`, files] as const);
    await writeSkills(skills, { chatty, ...Object.fromEntries(broken) });
    return { skills: [{ path: skills, tier: 'local' }] };
  });

  test.each(cases.map(([name, files, hint], at) => [name, at, files, hint] as const))(
    '%s',
    async (_, at, files, hint) => {
      const id = `broken-${at}`;
      const { body } = await shared().execute(id, 'index.js' in files ? { input: {} } : {});
      expect([body.outcome.status, body.hint]).toEqual(['failed', hint?.replace('broken', id)]);
    },
  );

  test('on the command line, in the line before the last', async () => {
    const { code, stderr } = await ambit(['run', 'broken-0', '--data-dir', shared().dataDir]);
    expect([code, stderr.split('\n').at(-3)]).toEqual([1, cases[0]?.[2]]);
  });

  test('output that is not JSON is refused with its start', async () => {
    const { outcome } = (await shared().execute('chatty', { input: {} })).body;
    expect(outcome).toMatchObject({
      status: 'output-invalid',
      detail: `the skill's output is not JSON; it begins with "Loading model…\\n"`,
    });
  });
});

describe('ambit skills show', () => {
  test('lists scripts, but no modules', async () => {
    const cwd = await folderWith({
      office: {
        'scripts/__init__.py': '',
        'scripts/lib/base.py': `#!/usr/bin/env python3\n"""Base.\nprint("no")\n"""\nimport sys\nfrom os import (\n    path,\n)\nNAMES = [\n    1,\n]\n\nclass Base:\n    pass\n`,
        'scripts/helpers.mjs': 'export const one = 1;\n',
        'scripts/pack.py': 'import sys\ndef main():\n    pass\nif __name__ == "__main__":\n    main()\n',
        'scripts/calls.py': 'def main():\n    return 0\ncode = main()\n',
        'scripts/plain.py': 'print("hello")\n',
        'scripts/tool.mjs': 'export const one = 1;\nconsole.log(one);\n',
        'scripts/go.sh': '#!/bin/sh\necho hi\n',
      },
    });
    const { stdout } = await ambit(['skills', 'show', 'office', '--config', 'c.yaml'], { cwd });
    expect(stdout.split('\n').filter((line) => line.startsWith('call it'))).toEqual(
      ['calls.py', 'go.sh', 'pack.py', 'plain.py', 'tool.mjs'].map(
        (name) => `call it with: ambit run office --script scripts/${name} -- ARGUMENTS`,
      ),
    );
    expect(
      await ambit(['run', 'office', '--config', 'c.yaml', '--script', 'plain.py'], { cwd }),
    ).toMatchObject({
      stdout: 'hello\n',
    });
  });

  test('prints license, compatibility and allowed tools with --json', async () => {
    const head = (more: string) => `---\nname: NAME\ndescription: d\n${more}---\n`;
    const full = 'license: MIT\ncompatibility: needs git\nallowed-tools: Read Bash(git:*)\n';
    const cwd = await folderWith({ full: { 'SKILL.md': head(full).replace('NAME', 'full') }, bare: {} });
    const shown = async (name: string) => {
      const { license, compatibility, allowedTools } = JSON.parse(
        (await ambit(['skills', 'show', name, '--json', '--config', 'c.yaml'], { cwd })).stdout,
      );
      return { license, compatibility, allowedTools };
    };
    expect(await shown('full')).toEqual({
      license: 'MIT',
      compatibility: 'needs git',
      allowedTools: ['Read', 'Bash(git:*)'],
    });
    expect(await shown('bare')).toEqual({ license: null, compatibility: null, allowedTools: [] });
  });
});
