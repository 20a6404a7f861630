// Threat model: T63, T73, T75

import { once } from 'node:events';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Grant } from '@ambit/core/execute';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { grantedSkill, writeFiles } from '../testing/skill-on-disk.ts';
import { treeDigests } from './dependencies/tree-digest.ts';
import { processExecutor } from './process-executor.ts';
import { programData } from './programs/program-data.ts';
import { bubblewrapSandbox } from './sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { runInSandbox } from './sandbox/run-in-sandbox.ts';
import { sandboxedCommand } from './sandboxed-command.ts';
import { skillNames } from './script-names.ts';
import { skillMounts } from './skill-mounts.ts';

const never = new AbortController().signal;
const sandbox = bubblewrapSandbox();

/** Prints every path below `/skill`, symlinks with their targets and files with their text. */
const survey = `#!/usr/bin/env python3
import json, os
seen = {}
for folder, folders, files in os.walk('/skill'):
    for name in folders + files:
        path = os.path.join(folder, name)
        if os.path.islink(path): seen[path] = '-> ' + os.readlink(path)
        elif os.path.isdir(path): seen[path] = 'folder'
        else: seen[path] = open(path).read()
for name in ('SKILL.md', 'ambit.yaml', 'scripts/run.py'): seen.pop('/skill/' + name, None)
print(json.dumps(seen))
`;

const run = { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] } };

function surveyor(files: Readonly<Record<string, string>> = {}): Promise<Grant> {
  return grantedSkill(run, { 'scripts/run.py': survey, ...files });
}

async function seenInside(grant: Grant): Promise<unknown> {
  const executor = processExecutor({ sandbox, environment: {} });
  const { outcome } = await executor.execute(grant, { protocol: 'json', value: {} }, never);
  return outcome.status === 'succeeded' ? outcome.output : outcome;
}

/** The output of a command whose skill folder changes after the command was built. */
async function seenAfter(grant: Grant, change: (root: string) => Promise<unknown>): Promise<unknown> {
  const context = {
    hostUser: sandbox.hostUser,
    own: { hidden: [], readOnly: [] },
    treeDigests: treeDigests(),
    programData: programData(),
    namesOf: skillNames(),
  };
  const command = await sandboxedCommand(grant, [], {}, context);
  await change(grant.skill.root);
  const given = { stdin: new Uint8Array(), timeoutMs: 60_000, outputBytes: 100_000 };
  const { stdout } = await runInSandbox(sandbox, { command }, given, never);
  return JSON.parse(new TextDecoder().decode(stdout));
}

const token = 'https://user:token@example.com';

test('hidden files and folders do not exist inside at any depth, and all other files do', async () => {
  const grant = await surveyor({
    '.env': token,
    '.git/config': token,
    '.ambit/audit-key': token,
    'scripts/.secret': token,
    'references/a.md': 'a',
    'references/deep/.hidden/x/y': token,
    'references/deep/b.md': 'b',
    'assets/whole/c.md': 'c',
    'assets/template/.gitkeep': '',
    '..odd': token,
  });
  const { root } = grant.skill;
  await symlink('.env', join(root, 'to-env'));
  await symlink('../.git/config', join(root, 'references/to-git'));
  await symlink('references/a.md', join(root, 'to-a'));
  await symlink('/etc/passwd', join(root, 'out'));
  await symlink('references/a.md', join(root, '.hidden-link'));
  expect(await seenInside(grant)).toEqual({
    '/skill/scripts': 'folder',
    '/skill/references': 'folder',
    '/skill/references/a.md': 'a',
    '/skill/references/deep': 'folder',
    '/skill/references/deep/b.md': 'b',
    '/skill/references/to-git': '-> ../.git/config',
    '/skill/assets': 'folder',
    '/skill/assets/whole': 'folder',
    '/skill/assets/whole/c.md': 'c',
    '/skill/assets/template': 'folder',
    '/skill/to-env': '-> .env',
    '/skill/to-a': '-> references/a.md',
    '/skill/out': '-> /etc/passwd',
  });
});

test('a folder without hidden files is a single mount, even beside hidden files', async () => {
  const { skill } = await surveyor({ 'references/deep/a.md': 'a' });
  await symlink('SKILL.md', join(skill.root, 'references/link'));
  const whole = { source: skill.root, target: '/skill' };
  expect(await skillMounts(skill)).toEqual({ mounts: [whole], links: {}, folders: [] });
  await writeFiles(skill.root, { '.env': token });
  const { mounts, links, folders } = await skillMounts(skill);
  expect(mounts.map(({ target }) => target).sort()).toEqual(
    ['SKILL.md', 'ambit.yaml', 'references', 'scripts'].map((name) => `/skill/${name}`),
  );
  expect([links, folders]).toEqual([{}, []]);
});

test('a socket in the skill folder does not exist inside, and all other files do', async () => {
  const grant = await surveyor({ 'references/a.md': 'a' });
  const server = createServer().listen(join(grant.skill.root, 'references/door'));
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  expect(await seenInside(grant)).toEqual({
    '/skill/references': 'folder',
    '/skill/references/a.md': 'a',
    '/skill/scripts': 'folder',
  });
});

test('a skill folder that needs more than 256 mounts is refused, and one with fewer runs', async () => {
  const packages = (count: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => at).flatMap((at) => [
        [`node_modules/p${at}/.eslintrc`, token],
        [`node_modules/p${at}/index.js`, ''],
      ]),
    );
  const [few, many] = [await surveyor(packages(100)), await surveyor(packages(254))];
  expect(Object.keys((await seenInside(few)) as object)).toHaveLength(202);
  await expect(seenInside(many)).rejects.toMatchObject({
    code: 'SKILL_INVALID',
    message:
      'subject: leaving out hidden files takes more than 256 mounts; remove hidden files from the skill folder ("ambit skills validate" lists them)',
  });
});

describe('changes to a skill folder with hidden files before the run', () => {
  const files = { '.env': token, 'notes.md': 'notes', 'references/a.md': 'a' };
  const all = {
    '/skill/scripts': 'folder',
    '/skill/references': 'folder',
    '/skill/references/a.md': 'a',
    '/skill/notes.md': 'notes',
  };

  test('files that appear after the check do not exist inside, hidden or not', async () => {
    const late = { '.late': token, '.late-folder/x': token, 'late.md': 'late' };
    expect(await seenAfter(await surveyor(files), (root) => writeFiles(root, late))).toEqual(all);
  });

  test.each([
    ['replaced by a symlink to another folder', (root: string, outside: string) => relink(root, outside)],
    ['replaced', (root: string) => replace(root)],
    ['removed', (root: string) => rm(join(root, 'notes.md'))],
  ])('nothing runs if a file is %s after the check', async (_, change) => {
    const outside = join(await temporaryFolder(), 'outside');
    await writeFile(outside, token);
    const grant = await surveyor(files);
    await expect(seenAfter(grant, (root) => change(root, outside))).rejects.toMatchObject({
      code: 'SKILL_CHANGED',
      message: `${grant.skill.root}/notes.md was replaced while the sandbox was being set up, so nothing ran; call again`,
    });
    // A new check succeeds.
    expect(await seenInside(grant)).toMatchObject({ '/skill/references/a.md': 'a' });
  });

  const relink = async (root: string, outside: string): Promise<void> => {
    await rm(join(root, 'notes.md'));
    await symlink(outside, join(root, 'notes.md'));
  };
  const replace = async (root: string): Promise<void> => {
    await writeFile(join(root, 'new.md'), 'new');
    await rename(join(root, 'new.md'), join(root, 'notes.md'));
  };
});

describe('an entry', () => {
  test('an entry that is a symlink to a hidden file is refused, and one to a visible file runs', async () => {
    const linked = { ...run, entry: 'scripts/go.py' };
    const grant = await grantedSkill(linked, { 'scripts/.run.py': survey, 'scripts/run.py': survey });
    await symlink('.run.py', join(grant.skill.root, 'scripts/go.py'));
    await expect(seenInside(grant)).rejects.toMatchObject({
      code: 'SKILL_INVALID',
      message:
        'subject: entry scripts/go.py is a symlink to a hidden file, which is not part of the skill; put the file itself there',
    });
    await rm(join(grant.skill.root, 'scripts/go.py'));
    await symlink('run.py', join(grant.skill.root, 'scripts/go.py'));
    expect(await seenInside(grant)).toEqual({
      '/skill/scripts': 'folder',
      '/skill/scripts/go.py': '-> run.py',
    });
  });

  test('an entry that is a symlink through a hidden folder is refused', async () => {
    const grant = await grantedSkill({ ...run, entry: 'bin/run.py' }, { '.venv/bin/run.py': survey });
    await symlink('.venv/bin', join(grant.skill.root, 'bin'));
    await expect(seenInside(grant)).rejects.toMatchObject({ code: 'SKILL_INVALID' });
  });
});

test('a call for a removed skill folder is refused with SKILL_CHANGED', async () => {
  const grant = await surveyor();
  await rm(grant.skill.root, { recursive: true });
  await expect(seenInside(grant)).rejects.toMatchObject({
    code: 'SKILL_CHANGED',
    message: 'subject: entry scripts/run.py was removed since the skill was read; call again',
  });
  await expect(skillMounts(grant.skill)).rejects.toMatchObject({
    code: 'SKILL_CHANGED',
    message: expect.stringMatching(/^subject: the skill folder cannot be read \(ENOENT: .*\); call again$/),
  });
});

test('a prewarmed program is not used after a hidden file appeared in its skill folder', async () => {
  const waiting = `#!/usr/bin/env python3
import json, os, sys
json.load(sys.stdin)
print(json.dumps(sorted(name for name in os.listdir('/skill') if name.startswith('.'))))
`;
  const grant = await grantedSkill({ ...run, prewarm: 1 }, { 'scripts/run.py': waiting });
  const executor = processExecutor({ sandbox, environment: {}, prewarmMax: 1 });
  const call = async () => {
    const { outcome, sandbox: isolation } = await executor.execute(
      grant,
      { protocol: 'json', value: {} },
      never,
    );
    return [outcome, isolation];
  };
  const nothing = { status: 'succeeded', output: [] };
  try {
    await executor.prewarm?.(grant);
    expect(await call()).toEqual([nothing, 'bubblewrap, prewarmed']);
    await executor.prewarm?.(grant);
    await mkdir(join(grant.skill.root, '.git'));
    expect(await call()).toEqual([nothing, 'bubblewrap']);
  } finally {
    await executor.close?.();
  }
});
