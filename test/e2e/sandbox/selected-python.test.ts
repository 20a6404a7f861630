// Threat model: T3

import { chmod, copyFile, mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ambitWith, canUnshare } from '../support/own-mounts.ts';

const script = `import subprocess
try:
    import only_there
    module = only_there.what
except ImportError: module = None
child = [sys.executable, "-c", "import sys; print(sys.prefix)"]
print(json.dumps([sys.prefix, module, subprocess.run(child, capture_output=True, text=True).stdout.strip()]))`;

/** A skill, and a folder that replaces `/usr/local/bin` after `mounting` has run. */
async function world(python = 'python3') {
  const folder = await temporaryFolder();
  const programs = join(folder, 'programs');
  await mkdir(programs);
  await writeSkills(join(folder, 'skills'), {
    which: {
      ...pythonSkill(script, { capabilities: { exec: [python] } }),
      'scripts/run.py': `#!/usr/bin/env ${python}\nimport json, sys\n${script}\n`,
    },
  });
  await writeFile(join(folder, 'input'), '{}');
  await writeFile(join(folder, 'config.yaml'), 'skills: [{ path: ./skills, tier: local }]\n');
  const options = ['--config', 'config.yaml', '--data-dir', join(folder, 'data')];
  return {
    folder,
    programs,
    ambit: (...args: string[]) =>
      ambitWith(`mount --bind '${programs}' /usr/local/bin && PATH=/usr/bin`, [...args, ...options], folder),
  };
}

/** A virtual environment, created with `python3 -m venv`, with a module. */
async function environment(folder: string, python: string): Promise<{ root: string }> {
  const root = join(folder, 'environment');
  const modules = join(root, 'lib', basename(await realpath(python)), 'site-packages');
  await mkdir(join(root, 'bin'), { recursive: true });
  await mkdir(modules, { recursive: true });
  await writeFile(join(root, 'pyvenv.cfg'), 'home = /usr/bin\ninclude-system-site-packages = false\n');
  await writeFile(join(modules, 'only_there.py'), 'what = "of the environment"\n');
  await symlink(python, join(root, 'bin/python3'));
  return { root };
}

/** A Python in its own folder, as with pyenv. */
async function ownPython(folder: string): Promise<{ root: string; program: string }> {
  const real = await realpath('/usr/bin/python3');
  const [root, name] = [join(folder, 'own'), basename(real)];
  await mkdir(join(root, 'bin'), { recursive: true });
  await mkdir(join(root, 'lib'));
  await copyFile(real, join(root, 'bin', name));
  await chmod(join(root, 'bin', name), 0o755);
  await symlink(`/usr/lib/${name}`, join(root, 'lib', name));
  return { root, program: join(root, 'bin', name) };
}

describe.skipIf(!canUnshare)('a link in /usr/local/bin selects the Python of skills (needs root)', () => {
  test("without a link, the system's Python runs skills, and doctor also names the shell's", async () => {
    const { ambit, folder } = await world();
    const python = await realpath('/usr/bin/python3');
    expect(await ambit('run', 'which', '--input', 'input')).toEqual({
      code: 0,
      said: '',
      printed: '["/usr",null,"/usr"]\n',
    });
    const { root } = await environment(folder, python);
    const asked = await ambit('doctor', '--json');
    expect(pythonOf(asked.printed)).toMatchObject({ status: 'ok', found: python });
    const other = await ambitWith(`PATH=${root}/bin:$PATH`, ['doctor', '--json'], folder);
    expect(pythonOf(other.printed)).toMatchObject({
      status: 'limited',
      found: `${python}; this shell has ${root}/bin/python3`,
    });
  });

  test.each(['python3', 'python'])('%s runs in the linked virtual environment', async (name) => {
    const { ambit, folder, programs } = await world(name);
    const { root } = await environment(folder, await realpath('/usr/bin/python3'));
    await symlink(join(root, 'bin/python3'), join(programs, name));
    expect(await ambit('run', 'which', '--input', 'input')).toEqual({
      code: 0,
      said: '',
      printed: `["${root}","of the environment","${root}"]\n`,
    });
    const shown = await ambit('skills', 'show', 'which');
    expect(shown.printed).toContain(`\nprogram ${name}: ${root}/bin/python3\n`);
  });

  test('a Python in its own folder runs with its own library, also in a virtual environment created with it', async () => {
    const { ambit, folder, programs } = await world();
    const { root, program } = await ownPython(folder);
    await symlink(program, join(programs, 'python3'));
    expect(await ambit('run', 'which', '--input', 'input')).toEqual({
      code: 0,
      said: '',
      printed: `["${root}",null,"${root}"]\n`,
    });
    expect(pythonOf((await ambit('doctor', '--json')).printed).found).toBe(program);

    const made = await environment(folder, program);
    await rm(join(programs, 'python3'));
    await symlink(join(made.root, 'bin/python3'), join(programs, 'python3'));
    expect(await ambit('run', 'which', '--input', 'input')).toEqual({
      code: 0,
      said: '',
      printed: `["${made.root}","of the environment","${made.root}"]\n`,
    });
  });

  test('a linked program exposes only its own folder, not the files beside it', async () => {
    const { ambit, folder, programs } = await world();
    const { root, program } = await ownPython(folder);
    await writeFile(join(root, 'secret'), 'a secret');
    await writeFile(join(root, 'lib/secret'), 'a secret');
    await symlink(program, join(programs, 'python3'));
    await writeSkills(join(folder, 'skills'), {
      which: pythonSkill(`print(json.dumps([sorted(os.listdir("${root}")), os.listdir("${root}/lib")]))`),
    });
    expect((await ambit('run', 'which', '--input', 'input')).printed).toBe(
      `[["bin","lib"],["${basename(program)}"]]\n`,
    );
  });
});

function pythonOf(report: string): { status: string; found: string } {
  return JSON.parse(report).checks.find(({ name }: { name: string }) => name === 'python');
}
