/**
 * Skills in the shape of published ones do their documented work on real files, with the libraries and programs of Debian: added,
 * approved, granted what their review lists, and called on the command line and over HTTP. Each command ends as it does outside
 * Ambit, with the same output and files: `npm run test:all -- real-work`, with names of skills only these.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join, relative } from 'node:path';
import type { InstallChanges, InstallReview } from '../../packages/client/src/index.ts';
import { npmPackage, npmRegistry } from '../../packages/installs/src/testing/npm-registry.ts';
import { packageIndex, wheelOf } from '../../packages/installs/src/testing/package-index.ts';
import { openClaims } from '../support/claims.ts';
import { ambit, daemonProcess } from '../support/daemon-process.ts';
import { type Ended, runOutside } from '../support/outside.ts';
import { writeFiles } from '../support/temporary-folder.ts';
import { type RealSkill, skills, type Work } from './skills.ts';

/** The end of a command, and the files that it created or changed. */
interface Result extends Omit<Ended, 'stderr'> {
  files: Readonly<Record<string, string>>;
}

const timeoutMs = 300_000;
/** Debian's programs, and the Node of this process. */
const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
const env = { ...process.env, PATH: path };

const only = process.argv.slice(2);
const { claim, end } = openClaims();
const folder = await realpath(await mkdtemp(join(tmpdir(), 'ambit-real-work-')));
const [source, inputs] = [join(folder, 'acme'), join(folder, 'inputs')];
const rounding = { 'rounding.py': 'def tens(value):\n    return round(value, -1)\n' };
const marker = { 'index.js': "exports.strip = (text) => text.replaceAll(/[#*`]/g, '');\n" };
const index = await packageIndex([wheelOf('rounding', '1.0', rounding)]);
const registry = await npmRegistry([await npmPackage('marker', '1.0.0', marker)]);
const config = {
  installs: { dependencies: { python: { index: index.url }, node: { registry: registry.url } } },
};
const daemon = await daemonProcess(folder, config, { env: { PATH: path } });
try {
  await mkdir(inputs);
  // Outside, these are installed as pip and npm do it.
  await writeFiles(join(folder, 'python'), rounding);
  await writeFiles(join(folder, 'node_modules/marker'), { 'package.json': '{}', ...marker });
  execFileSync('/usr/bin/python3', [join(import.meta.dirname, 'inputs.py')], { cwd: inputs, env });
  const chosen = skills.filter(({ name }) => only.length === 0 || only.includes(name));
  for (const { name, files } of chosen) {
    const description = `Does the work of ${name}. Use when asked to.`;
    await writeFiles(join(source, name), {
      'SKILL.md': `---\nname: ${name}\ndescription: ${description}\n---\n`,
      ...files,
    });
    for (const file of Object.keys(files).filter((each) => files[each]?.startsWith('#!')))
      execFileSync('chmod', ['+x', join(source, name, file)]);
  }
  await approveAll(chosen);
  for (const skill of chosen)
    for (const work of skill.work)
      await claim(`${skill.name}: ${work.command}`, async () => {
        const outside = await doOutside(skill.name, work);
        assert.equal(outside.code, 0, outside.stderr);
        const { stderr: _, ...expected } = outside;
        assert.deepEqual(await doInside(skill.name, work), expected);
        assert.equal(await doOverHttp(skill.name, work), expected.stdout);
      });
} finally {
  await daemon.stop();
  index.close();
  registry.close();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = end();

/** Does what a person does once: adds the skills, reads their reviews, approves them and grants what the reviews list. */
async function approveAll(chosen: readonly RealSkill[]): Promise<void> {
  const added: InstallChanges = await printed(['skills', 'add', source]);
  assert.deepEqual(added.refused, []);
  const grants: Record<string, object> = {};
  for (const { name, programs = [], packages: locked = [] } of chosen) {
    const id = `acme:${name}`;
    const review: InstallReview = await printed(['skills', 'review', id]);
    const listed = new Set(review.reading.scripts.flatMap((script) => script.programs));
    await claim(`${name}: the review lists the programs and packages that it needs`, async () =>
      assert.deepEqual(
        { programs: programs.filter((each) => listed.has(each)), packages: review.packages },
        { programs, packages: locked },
      ),
    );
    if (programs.length > 0) grants[id] = { exec: programs };
    await printed(['skills', 'approve', id]);
  }
  await daemon.configure({ ...config, grants });
  await printed(['config', 'reload']);

  // biome-ignore lint/suspicious/noExplicitAny: the JSON of any command
  async function printed(args: readonly string[]): Promise<any> {
    const { code, stdout, stderr } = await ambitHere([...args, '--json']);
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  }
}

/** Runs a command in plain bubblewrap, with the packages of the skill on the path of its language. */
async function doOutside(skill: string, work: Work): Promise<Result & { stderr: string }> {
  const root = join(source, skill);
  const workspace = await mkdtemp(join(folder, 'outside-'));
  for (const each of work.inputs ?? [])
    await cp(join(inputs, each), join(workspace, each.replace(/^.*\/\.$/, '')), { recursive: true });
  const before = await contents(workspace);
  const { interpreter, script, args } = parsed(work.command);
  const program = script.startsWith('-m ') ? script.split(' ') : [join(root, script)];
  const ended = await runOutside([...interpreter, ...program, ...args], {
    root,
    workspace,
    folder,
    path,
    timeoutMs,
    env: { LANG: 'C.UTF-8', PYTHONPATH: `${root}:${join(folder, 'python')}` },
  });
  const after = await contents(workspace);
  const files = Object.entries(after).filter(([name, content]) => before[name] !== content);
  return { ...ended, files: Object.fromEntries(files) };
}

async function doInside(skill: string, { command, inputs: given = [] }: Work): Promise<Result> {
  const { script, args } = parsed(command);
  const saved = await mkdtemp(join(folder, 'inside-'));
  const files = given.flatMap((each) => [
    '--file',
    each.endsWith('/.') ? `${join(inputs, each)}=.` : join(inputs, each),
  ]);
  const run = ['run', `acme:${skill}`, '--script', script, ...files, '--save', saved, '--hidden', '--json'];
  const { stdout, stderr } = await ambitHere([...run, '--', ...args]);
  if (stdout === '') throw new Error(stderr);
  const { outcome } = JSON.parse(stdout);
  if (outcome.status !== 'succeeded') throw new Error(JSON.stringify(outcome));
  return { code: 0, stdout: outcome.output.stdout, files: await contents(saved) };
}

/** Sends the command as a model types it, and its files with it. Returns what it prints. */
async function doOverHttp(skill: string, { command, inputs: given = [] }: Work): Promise<string> {
  const files = given.map(async (each) => {
    const [from, name] = [join(inputs, each), each.replace(/^.*\/\.$/, '')];
    const paths = (await stat(from)).isFile() ? [''] : await filesBelow(from);
    return paths.map(async (path) => {
      const base64 = (await readFile(join(from, path))).toString('base64');
      return { path: join(name, path), base64 };
    });
  });
  const body = { command, files: await Promise.all((await Promise.all(files)).flat()) };
  const { outcome, ...answer } = (await daemon.execute(`acme:${skill}`, body)).body;
  assert.equal(outcome?.status, 'succeeded', JSON.stringify({ outcome, ...answer }));
  return outcome.output.stdout;
}

/** A command of a person in the folder of the configuration. */
function ambitHere(args: readonly string[]): ReturnType<typeof ambit> {
  return ambit(['--config', join(folder, 'ambit.config.yaml'), ...args], {
    cwd: folder,
    env: { PATH: path },
  });
}

/** The words of a command: an interpreter, if it names one, then a script or `-m` with a module, and its arguments. */
function parsed(command: string): { interpreter: string[]; script: string; args: string[] } {
  // Outside Ambit, Python has the packages that uv would fetch.
  const plain = command.replace('uv run --no-project ', 'python3 ');
  const [first = '', second = '', ...rest] = plain.split(' ');
  if (first.includes('/'))
    return { interpreter: [], script: first, args: second === '' ? [] : [second, ...rest] };
  const interpreter = [first === 'python' ? 'python3' : first];
  if (second !== '-m') return { interpreter, script: second, args: rest };
  const [module = '', ...args] = rest;
  return { interpreter, script: `-m ${module}`, args };
}

/**
 * The files below a folder, by path: the digest of their bytes. Of formats that have the time in them, what they say: the text of
 * a PDF, the names in an archive.
 */
async function contents(root: string): Promise<Record<string, string>> {
  const visible = (await filesBelow(root)).filter((each) => !/(^|\/)(\.|__pycache__)/.test(each));
  return Object.fromEntries(
    await Promise.all(visible.toSorted().map(async (each) => [each, await content(join(root, each))])),
  );
}

async function filesBelow(root: string): Promise<string[]> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  return found
    .filter((each) => each.isFile())
    .map((each) => relative(root, join(each.parentPath, each.name)));
}

async function content(file: string): Promise<string> {
  const read = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { env, encoding: 'utf8' });
  if (extname(file) === '.pdf') return read('pdftotext', '-layout', file, '-');
  if (['.docx', '.xlsx', '.pptx', '.skill'].includes(extname(file))) return read('unzip', '-Z1', file);
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}
