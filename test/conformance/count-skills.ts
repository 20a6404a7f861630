/**
 * Counts published skills: `npm run test:all -- count-skills FOLDER…`, with a folder for each repository or package. Adds each with
 * `ambit skills add`, reads the reviews, and calls each script with `--help`, through Ambit and outside, where it sees this
 * machine read-only and without a network. Prints what docs/published-skills.md lists. Exits with 1 if a script behaves
 * differently through Ambit.
 */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { InstallChanges, InstallReview } from '../../packages/client/src/index.ts';
import { ambit, daemonProcess } from '../support/daemon-process.ts';
import { type Ended, runOutside } from '../support/outside.ts';

const timeoutMs = 20_000;
const folder = await realpath(await mkdtemp(join(tmpdir(), 'ambit-count-')));
const workspace = join(folder, 'workspace');
await mkdir(workspace);
const counts = new Map<string, number>();
const names = new Map<string, string[]>();
const differing: string[] = [];

const daemon = await daemonProcess(folder);
try {
  for (const each of process.argv.slice(2)) await countSource(resolve(each));
  const shared = [...names].filter(([, namespaces]) => namespaces.length > 1);
  count('names in several sources', shared.length);
  for (const [what, number] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${String(number).padStart(6)}  ${what}`);
  for (const [name, namespaces] of shared) console.log(`SHARED   ${name}: ${namespaces.join(', ')}`);
  for (const line of differing) console.log(`DIFFERS  ${line}`);
  if (differing.length > 0) process.exitCode = 1;
} finally {
  await daemon.stop();
  await rm(folder, { recursive: true, force: true });
}

function count(what: string, by = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + by);
}

async function countSource(source: string): Promise<void> {
  const { stdout, stderr } = await ambit(['skills', 'add', source, '--json', '--data-dir', daemon.dataDir]);
  if (stdout === '') {
    console.log(`${source}: ${stderr.trim()}`);
    count('sources that were refused');
    return;
  }
  const { skills, refused }: InstallChanges = JSON.parse(stdout);
  console.log(`${basename(source)}: ${skills.length} installed, ${refused.length} left out`);
  count('sources');
  count('skills installed', skills.length);
  for (const { code, folder: at, message } of refused) {
    count(`skills left out: ${code}`);
    if (code !== 'SKILL_NAME_COLLISION') console.log(`  ${at}: ${message}`);
  }
  for (const { id, digest } of skills) {
    const [namespace = '', name = ''] = id.split(':');
    names.set(name, [...(names.get(name) ?? []), namespace]);
    const review: InstallReview = (await daemon.request('GET', `/installs/${id}`)).body;
    countReading(review);
    await countScripts(id, digest ?? '');
  }
}

function countReading({ reading: { scripts, findings } }: InstallReview): void {
  if (scripts.length > 0) count('skills with programs');
  for (const severity of new Set(findings.map((each) => each.severity)))
    count(`skills with findings: ${severity}`);
  for (const { rule, severity } of findings) {
    count(`findings: ${severity}`);
    if (severity !== 'note') count(`findings above note: ${rule}`);
  }
  for (const { language, packages, programs, hosts } of scripts) {
    count('programs');
    count(`programs in ${language}`);
    if (packages.length > 0) count('programs that import packages');
    if (programs.length > 0) count('programs that start other programs');
    if (hosts.length > 0) count('programs that name a host');
    if (packages.length + programs.length + hosts.length === 0)
      count('programs that need only their language');
  }
}

async function countScripts(id: string, digest: string): Promise<void> {
  const { body: skill } = await daemon.request('GET', `/skills/${id}`);
  const scripts = skill.scripts as { path: string; interpreter: string | null }[];
  if (scripts.length === 0) return;
  count('skills with scripts to call');
  const approval = { digest, tier: 'verified' };
  const approved = await daemon.request('POST', `/installs/${id}/approve`, { body: approval });
  if (approved.status !== 200) throw new Error(`${id}: ${JSON.stringify(approved.body)}`);
  const root = join(daemon.dataDir, 'installs', id.replace(':', `/${digest.slice(7)}/`));
  for (const { path, interpreter } of scripts) {
    count('scripts called with --help');
    const call = { script: path, args: ['--help'], limits: { timeoutMs } };
    const { status, body } = await daemon.execute(id, call);
    const inside: Ended =
      status === 200
        ? {
            code: body.outcome.status === 'succeeded' ? 0 : (body.outcome.failure?.exitCode ?? null),
            stdout: body.outcome.output?.stdout ?? '',
            stderr: body.outcome.stderr ?? '',
          }
        : { code: null, stdout: '', stderr: `${body.code}: ${body.detail}` };
    const program = [...(interpreter === null ? [] : [interpreter]), join(root, path), '--help'];
    const outside = await runOutside(program, { root, workspace, folder, timeoutMs });
    const isSame = inside.code === outside.code && (outside.code !== 0 || inside.stdout === outside.stdout);
    const missing = /No module named|Cannot find (?:module|package)/.test(outside.stderr);
    if (isSame && outside.code === 0) count('scripts that answer --help as outside');
    else if (isSame) count(`scripts that fail as outside: ${missing ? 'missing package' : 'other'}`);
    else {
      count('scripts that differ');
      differing.push(`${id} ${path}: ${JSON.stringify({ inside, outside }).slice(0, 1000)}`);
    }
  }
}
