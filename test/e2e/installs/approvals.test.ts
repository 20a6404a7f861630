// Threat model: T142, T143, T144, T158, T218

import { appendFile, chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Daemon, startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit, repository as repositoryFolder } from '../../support/daemon-process.ts';
import { commit, gitServer } from '../../support/git-server.ts';
import { project } from '../support/project.ts';
import { patientLimits } from '../support/waiter.ts';

const echo = '#!/bin/sh\nprintf \'["%s"]\\n\' "$1"\n';
const wider = JSON.stringify({
  run: {
    ...{ runtime: 'process', entry: 'scripts/run.sh', protocol: 'command' },
    capabilities: { exec: ['sh', '@posix'], filesystem: { write: ['workspace'] }, network: ['a.example'] },
  },
});

function skillMd(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n`;
}

/** A repository `acme/skills` on a git server, with a skill that runs and one of instructions. */
async function repository() {
  const root = await temporaryFolder();
  const folder = join(root, 'acme/skills');
  commit(folder, {
    'skills/forms/SKILL.md': skillMd('forms', 'first'),
    'skills/forms/scripts/run.sh': echo,
    'notes/SKILL.md': skillMd('notes', 'Takes notes.'),
  });
  const url = `${await gitServer(root)}/acme/skills`;
  return { folder, url, config: { installs: { network: [new URL(url).origin] } } };
}

test.each(['022', '077'])('a skill that is installed with the umask %s runs its programs', async (umask) => {
  const usual = process.umask(umask);
  onTestFinished(() => void process.umask(usual));
  const { url, config } = await repository();
  const { json } = await project(config);
  await json('skills', 'add', url);
  await json('skills', 'approve', 'forms', '--review', (await json('skills', 'review', 'forms')).review);
  expect((await json('run', 'acme:forms', '--', 'a')).outcome).toMatchObject({
    status: 'succeeded',
    output: { stdout: '["a"]\n' },
  });
});

test('a skill from a repository runs once it is approved, waits when it asks for more, and ends when it is revoked', async () => {
  const { folder, url, config } = await repository();
  const { cwd, run, json, refusal } = await project(config);
  const added = await json('skills', 'add', url);
  expect(added).toMatchObject({
    skills: [
      { id: 'acme:notes', change: 'added', executable: false, requests: [] },
      {
        ...{ id: 'acme:forms', change: 'added', executable: true, wider: [] },
        requests: ['exec @posix', 'exec sh', 'filesystem.write workspace', 'run process'],
      },
    ],
    refused: [],
  });
  const [{ digest: first }] = added.skills.slice(1);

  expect(await refusal('run', 'acme:forms')).toEqual([3, 'CAPABILITY_DENIED']);
  const review = await json('skills', 'review', 'forms');
  expect(review).toMatchObject({ digest: first, approved: null, skill: { state: 'unapproved' } });
  expect(await refusal('skills', 'approve', 'forms', '--review', 'another')).toEqual([3, 'REVIEW_STALE']);
  const approval = await json('skills', 'approve', 'forms', '--review', review.review);
  expect(approval).toMatchObject({ id: 'acme:forms', digest: first, tier: 'verified', publisher: null });
  const receipt = join(cwd, 'receipt.json');
  await writeFile(receipt, (await run('audit', 'receipt', String(approval.sequence))).stdout);
  const key = join(cwd, '.ambit/audit-key.pub');
  const log = join(cwd, '.ambit/audit.db');
  expect(await json('audit', 'verify-receipt', receipt, '--public-key', key, '--log', log)).toMatchObject({
    valid: true,
    receipt: { event: { kind: 'skill.approved', skill: { id: 'acme:forms', digest: first } } },
  });
  expect((await json('run', 'acme:forms', '--', 'a')).outcome.output.stdout).toBe('["a"]\n');

  commit(folder, { 'skills/forms/SKILL.md': skillMd('forms', 'second'), 'skills/forms/ambit.yaml': wider });
  const update = await json('skills', 'update');
  const more = [
    'network a.example',
    'scripts/run.sh: ambit.yaml now limits it',
    'scripts/run.sh: network a.example',
  ];
  expect(update.skills).toMatchObject([
    { id: 'acme:forms', change: 'waiting', from: first, wider: more },
    { id: 'acme:notes', change: 'unchanged' },
  ]);
  const second = update.skills[0].digest;
  expect((await json('run', 'acme:forms', '--', 'still')).outcome.output.stdout).toBe('["still"]\n');
  expect(await json('skills', 'review', 'forms')).toMatchObject({
    ...{ digest: second, approved: first, wider: more, narrower: [] },
    gets: ['scripts/run.sh: nothing, because something that it asks for is not granted'],
    files: [
      { path: 'SKILL.md', change: 'changed', diff: expect.stringContaining('+description: second') },
      { path: 'ambit.yaml', change: 'added', diff: expect.stringContaining('a.example') },
    ],
  });
  const shown = [
    'What it gets if you approve it',
    '  scripts/run.sh: nothing, because something that it asks for is not granted',
    '',
    'Differs from the approved version',
    ...more.map((line) => `  more  ${line}`),
    '  changed  SKILL.md',
  ];
  expect((await run('skills', 'review', 'forms')).stdout).toContain(`${shown.join('\n')}\n`);
  expect(await json('skills', 'approve', 'forms')).toMatchObject({ digest: second });
  // What it asks for beyond the sandbox still needs a grant.
  expect(await refusal('run', 'acme:forms')).toEqual([3, 'CAPABILITY_DENIED']);

  const revoked = await json('skills', 'revoke', 'forms', '--reason', 'it lies');
  expect(revoked).toMatchObject({ subject: second, skills: ['acme:forms'], reason: 'it lies' });
  expect(await refusal('run', 'acme:forms')).toEqual([3, 'SKILL_REVOKED']);
  expect(await refusal('skills', 'approve', 'forms')).toEqual([3, 'SKILL_REVOKED']);
  await json('skills', 'restore', 'forms');
  expect(await refusal('run', 'acme:forms')).toEqual([3, 'CAPABILITY_DENIED']);

  await json('skills', 'remove', 'forms');
  expect(await refusal('run', 'acme:forms')).toEqual([3, 'SKILL_NOT_FOUND']);
  expect(await readdir(join(cwd, '.ambit/installs/acme'))).toHaveLength(1);
  expect((await json('audit', 'verify')).intact).toBe(true);
});

test('the skills in examples/skills are valid, and their programs run after one approval of all', async () => {
  const { cwd, run, json } = await project({});
  const examples = join(repositoryFolder, 'examples/skills');
  expect(await json('skills', 'validate', examples)).toMatchObject({ valid: true });
  const { skills, refused } = await json('skills', 'add', examples, '--namespace', 'acme');
  expect(refused).toEqual([]);
  const ids = skills.map(({ id }: { id: string }) => id);
  const { approvals } = await json('skills', 'approve', ...ids);
  expect(approvals.map((each: { id: string; call: object }) => [each.id, each.call])).toEqual([
    ['acme:log-digest', { script: 'levels', protocol: 'command' }],
    ['acme:meeting-notes', null],
    ['acme:package-order', { script: null, protocol: 'command' }],
    ['acme:release-notes', null],
    ['acme:word-count', { script: null, protocol: 'command' }],
  ]);
  const log = [
    ...['2026-03-01T09:15:02 INFO started', '2026-03-01T09:16:10 ERROR no answer'],
    ...['Traceback', '2026-03-01T10:00:00 INFO stopped', ''],
  ].join('\n');
  await writeFile(join(cwd, 'app.log'), log);
  await writeFile(join(cwd, 'package.json'), '{"dependencies":{"b":"1","a":"2"},"name":"x"}');
  const calls = {
    levels: ['acme:log-digest', '--script', 'levels', '--file', 'app.log', '--', 'app.log'],
    between: [
      ...['acme:log-digest', '--script', 'between', '--file', 'app.log', '--'],
      ...['app.log', '2026-03-01T09:16', '2026-03-01T09'],
    ],
    order: ['acme:package-order', '--file', 'package.json', '--', 'package.json'],
    count: ['acme:word-count', '--', 'to', 'be', 'or', 'not', 'to', 'be', '--top', '1'],
  };
  const printed: Record<string, string> = {};
  for (const [name, args] of Object.entries(calls)) printed[name] = (await run('run', ...args)).stdout;
  expect(printed).toEqual({
    levels: '     2  INFO\n     1  ERROR\nfirst error: 2026-03-01T09:16:10 ERROR no answer\n',
    between: '2026-03-01T09:16:10 ERROR no answer\nTraceback\n',
    order: `${JSON.stringify({ name: 'x', dependencies: { a: '2', b: '1' } }, null, 2)}\n`,
    count: '6 words, 4 different\n     2  to\n',
  });
  // The next step that `approve` prints works as typed.
  for (const id of ['acme:log-digest', 'acme:meeting-notes']) {
    const [, next = ''] = /^Next: ambit (.*)$/m.exec((await run('skills', 'approve', id)).stderr) ?? [];
    expect({ id, next, code: (await run(...next.split(' '))).code }).toMatchObject({ code: 0 });
  }
});

test('a file of an installed skill that changes is refused until it is fetched again', async () => {
  const { url, config } = await repository();
  const { cwd, run, json, refusal } = await project(config);
  await json('skills', 'add', url);
  await json('skills', 'approve', 'forms');
  const [digest = ''] = await readdir(join(cwd, '.ambit/installs/acme')).then((names) =>
    names.filter((name) => name !== 'none'),
  );
  for (const name of await readdir(join(cwd, '.ambit/installs/acme'))) {
    const file = join(cwd, '.ambit/installs/acme', name, 'forms/scripts/run.sh');
    await chmod(file, 0o644).then(
      () => appendFile(file, 'echo more\n'),
      () => undefined,
    );
  }
  expect(digest).not.toBe('');
  const called = await run('run', 'acme:forms');
  expect(called).toMatchObject({ code: 3, stdout: '' });
  // The next step is named once.
  expect(called.stderr).toMatch(/^ambit: LOCK_MISMATCH: .*; to fetch it again, run: ambit skills sync\n$/);
  expect(await refusal('skills', 'sync', '--frozen')).toEqual([3, 'LOCK_MISMATCH']);
  expect((await json('skills', 'sync')).skills).toMatchObject([{ id: 'acme:forms', change: 'fetched' }]);
  expect((await json('skills', 'sync', '--frozen')).skills).toEqual([]);
  expect((await json('run', 'acme:forms', '--', 'a')).outcome.output.stdout).toBe('["a"]\n');
});

test('a lock file from elsewhere approves nothing, and one of a later version is refused and unchanged', async () => {
  const { url, config } = await repository();
  const [own, other] = [await project(config), await project(config)];
  await own.json('skills', 'add', url);
  await own.json('skills', 'approve', 'forms');
  const lock = await readFile(join(own.cwd, 'ambit.lock'), 'utf8');
  await writeFile(join(other.cwd, 'ambit.lock'), lock);
  expect(await other.refusal('run', 'acme:forms')).toEqual([3, 'LOCK_MISMATCH']);
  await other.json('skills', 'sync');
  expect(await other.refusal('run', 'acme:forms')).toEqual([3, 'CAPABILITY_DENIED']);

  const later = lock.replace('"version": 1', '"version": 2');
  await writeFile(join(other.cwd, 'ambit.lock'), later);
  expect(await other.refusal('skills', 'remove', 'forms')).toEqual([2, 'CONFIG_INVALID']);
  expect(await readFile(join(other.cwd, 'ambit.lock'), 'utf8')).toBe(later);
});

/** Whether as many calls of the skill run or wait. */
async function isRunning(daemon: Daemon, count = 1): Promise<boolean> {
  return (await daemon.audit('?outcome=running')).length === count;
}

test('a running daemon installs, approves, updates and revokes without a restart, also with a broken configuration', async () => {
  const { folder, url, config: files } = await repository();
  const config = { ...files, limits: { concurrencyPerSkill: 1 } };
  commit(folder, { 'skills/forms/scripts/run.sh': '#!/bin/sh\necho on\nexec sleep 600\n' });
  const daemon = await startDaemon(config);
  const post = (path: string, body: object) => daemon.request('POST', path, { body });
  expect((await post('/installs', { source: url })).body.skills).toHaveLength(2);
  expect((await daemon.request('GET', '/skills/acme:forms')).body).toMatchObject({ tier: 'untrusted' });
  expect((await daemon.execute('acme:forms', {})).body.code).toBe('CAPABILITY_DENIED');

  const { digest, review } = (await daemon.request('GET', '/installs/forms')).body;
  expect((await post('/installs/forms/approve', { digest: 'sha256:0' })).body.code).toBe('REVIEW_STALE');
  const approval = await post('/installs/forms/approve', { digest, review, tier: 'local' });
  expect(approval).toMatchObject({ status: 200, body: { id: 'acme:forms', digest, tier: 'local' } });
  expect((await daemon.request('GET', '/installs')).body.skills).toMatchObject([
    { id: 'acme:forms', state: 'approved', tier: 'local' },
    { id: 'acme:notes', state: 'unapproved', tier: 'untrusted' },
  ]);

  // The file of the daemon is invalid from here on.
  await daemon.configure({ listen: 'nowhere' });
  const call = daemon.execute('acme:forms', { limits: patientLimits });
  await vi.waitUntil(() => isRunning(daemon));
  const queued = daemon.execute('acme:forms', {});
  await vi.waitUntil(() => isRunning(daemon, 2));
  expect((await post('/installs/revoke', { subject: 'forms', reason: 'it lies' })).status).toBe(200);
  expect((await call).body).toMatchObject({ outcome: { status: 'canceled' } });
  expect((await queued).body.code).toBe('SKILL_REVOKED');
  expect((await daemon.execute('acme:forms', {})).body.code).toBe('SKILL_REVOKED');
  const [record] = (await daemon.audit('?outcome=canceled')) as { reason: string }[];
  expect(JSON.stringify(record)).toContain('it lies');
  await daemon.configure(config);

  expect((await post('/installs/restore', { subject: digest })).status).toBe(200);
  const { body: restored } = await daemon.request('GET', '/installs/acme:forms');
  expect(restored.skill).toMatchObject({ state: 'approved', until: null });

  const until = new Date(Date.now() + 6000).toISOString();
  const again = { digest, review: restored.review };
  expect((await post('/installs/forms/approve', { ...again, until })).body).toMatchObject({ until });
  expect((await post('/installs/forms/approve', { ...again, until: '2020-01-01T00:00:00Z' })).status).toBe(
    400,
  );
  const ended = async () => (await daemon.request('GET', '/audit/events?kind=skill.expired')).body.events;
  await vi.waitUntil(async () => (await ended()).length > 0);
  expect(await ended()).toMatchObject([
    { event: { skill: { id: 'acme:forms', digest }, until: Date.parse(until) } },
  ]);
  expect((await daemon.execute('acme:forms', {})).body.code).toBe('CAPABILITY_DENIED');
  expect((await daemon.request('GET', '/installs/acme:forms')).body.skill).toMatchObject({
    ...{ state: 'expired', tier: 'untrusted', until },
  });
  expect((await post('/installs/remove', { skills: ['forms'] })).body.skills).toMatchObject([
    { id: 'acme:forms', change: 'removed' },
  ]);
  expect((await daemon.execute('acme:forms', {})).body.code).toBe('SKILL_NOT_FOUND');
});

test('commands use the daemon that runs, and its key needs the scope approve', async () => {
  const { url, config } = await repository();
  const daemon = await startDaemon(config);
  const cwd = await temporaryFolder();
  const run = (...args: readonly string[]) =>
    ambit(['--json', '--data-dir', daemon.dataDir, ...args], { cwd });
  const local = join(cwd, 'clone/memo');
  await mkdir(local, { recursive: true });
  await writeFile(join(local, 'SKILL.md'), skillMd('memo', 'Writes memos.'));
  const answers = [];
  for (const source of [url, 'clone', 'svn://a.example/x'])
    answers.push((await run('skills', 'add', source)).code);
  expect(answers).toEqual([0, 0, 2]);
  const postponed = JSON.parse((await run('skills', 'postpone', 'notes', '--until', '7d')).stdout);
  expect((await daemon.request('GET', '/installs/acme:notes')).body.skill).toMatchObject({
    ...{ state: 'unapproved', digest: postponed.digest, postponedUntil: postponed.until },
  });
  expect((await run('skills', 'postpone', 'notes', '--until', '2020-01-01')).code).toBe(2);
  expect((await run('skills', 'approve', 'forms', 'gone')).code).toBe(3);
  expect((await run('skills', 'approve', 'forms', 'memo', '--review', 'r')).code).toBe(2);
  // What an agent with this shell types: no terminal, and no name of what was shown.
  const typed = await ambit(
    ['--json', '--data-dir', daemon.dataDir, 'skills', 'approve', 'forms', `memo@${postponed.digest}`],
    { cwd, isTyped: false },
  );
  expect([typed.code, JSON.parse(typed.stderr).error]).toMatchObject([
    3,
    {
      code: 'REVIEW_REQUIRED',
      message: expect.stringMatching(
        /^forms cannot be approved by id alone without a terminal: a person decides, /,
      ),
    },
  ]);
  expect((await run('skills', 'approve', 'forms@sha256:0', 'memo')).code).toBe(3);
  expect((await daemon.request('GET', '/installs/acme:forms')).body.skill.state).toBe('unapproved');
  const both = JSON.parse((await run('skills', 'approve', 'forms', 'memo')).stdout).approvals;
  expect(both).toMatchObject([
    { id: 'acme:forms', tier: 'verified', call: { script: null, protocol: 'command' } },
    { id: 'clone:memo', tier: 'verified', call: null },
  ]);
  const ran = await run('run', 'forms', '--', 'a');
  expect(JSON.parse(ran.stdout).outcome.output.stdout).toBe('["a"]\n');
  const listed = JSON.parse((await run('skills', 'installed')).stdout).skills as { id: string }[];
  expect(listed.map(({ id }) => id)).toEqual(['acme:forms', 'acme:notes', 'clone:memo']);

  const made = await ambit([
    ...['key', 'create', 'reader', '--scope', 'skills:read', '--scope', 'skills:execute'],
    ...['--data-dir', daemon.dataDir],
  ]);
  const authorization = `Bearer ${made.stdout.trim()}`;
  const refused = await daemon.request('POST', '/installs/revoke', {
    ...{ headers: { authorization }, body: { subject: 'forms' } },
  });
  expect(refused).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
  expect((await daemon.request('GET', '/installs', { headers: { authorization } })).status).toBe(200);
});
