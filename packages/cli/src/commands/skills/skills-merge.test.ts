import { EventEmitter } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { added, learnedWorld, ours, theirs, tree } from '../../testing/learned-world.ts';
import { runAmbit } from '../../testing/run-ambit.ts';

test('append adds new skills, preserves existing ones, and unions phases without touching comments', async () => {
  const cwd = await learnedWorld();
  expect(await runAmbit('skills merge learned --into skills', { cwd })).toEqual({
    exitCode: 0,
    stdout: `keep     any  already exists, and the learned skill adds no phase
add      new  new, for every phase
extend   plan  phases: plan +test
`,
    stderr: '',
  });
  expect(await tree(join(cwd, 'skills'))).toEqual({
    ...ours,
    ...added,
    'plan/ambit.yaml': 'phases: [plan, test] # for now\n',
  });
});

test('replace takes the learned skills and stores the old ones aside; repeating it changes nothing', async () => {
  const cwd = await learnedWorld();
  const merge = 'skills merge learned --into skills --mode replace --json';
  const { exitCode, stdout, stderr } = await runAmbit(merge, { cwd });
  const backup = (id: string): unknown =>
    expect.stringMatching(new RegExp(`^\\.replaced/${id}-[0-9a-f]{8}$`));
  expect({ exitCode, stderr, ...JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    stderr: '',
    dryRun: false,
    quit: false,
    actions: [
      { kind: 'replace', id: 'any', phases: { before: [], after: ['test'] }, storedAt: backup('any') },
      { kind: 'add', id: 'new', phases: { before: [], after: [] }, storedAt: null },
      {
        kind: 'replace',
        id: 'plan',
        phases: { before: ['plan'], after: ['test', 'plan'] },
        storedAt: backup('plan'),
      },
    ],
    refused: [],
  });
  const after = await tree(join(cwd, 'skills'));
  const withoutDigest = Object.entries(after).map(([path, text]) => [
    path.replace(/-[0-9a-f]{8}\//, '/'),
    text,
  ]);
  const old = Object.entries(ours).map(([path, text]) => [`.replaced/${path}`, text]);
  expect(Object.fromEntries(withoutDigest)).toEqual({ ...theirs, ...added, ...Object.fromEntries(old) });
  const again = await runAmbit(merge, { cwd });
  expect(JSON.parse(again.stdout).actions.map(({ kind }: { kind: string }) => kind)).toEqual([
    'keep',
    'keep',
    'keep',
  ]);
  expect(await tree(join(cwd, 'skills'))).toEqual(after);
  expect(JSON.parse((await runAmbit('skills index skills --json', { cwd })).stdout).skills).toHaveLength(3);
});

test('leaves the learned folder unchanged', async () => {
  const cwd = await learnedWorld();
  const before = await tree(join(cwd, 'learned'));
  await runAmbit('skills merge learned --into skills --mode replace', { cwd });
  expect(await tree(join(cwd, 'learned'))).toEqual(before);
});

test('--dry-run shows the same actions and changes nothing', async () => {
  const cwd = await learnedWorld();
  const before = await tree(cwd);
  expect(await runAmbit('skills merge learned --into skills --mode ask --dry-run', { cwd })).toEqual({
    exitCode: 0,
    stdout: `ask      any  phases: every phase → test
           ~ SKILL.md
           + ambit.yaml
add      new  new, for every phase
ask      plan  phases: plan +test
           ~ SKILL.md
           ~ ambit.yaml
Nothing was changed.
`,
    stderr: '',
  });
  expect((await runAmbit('skills merge learned --into nowhere --dry-run', { cwd })).exitCode).toBe(0);
  expect(await tree(cwd)).toEqual(before);
});

test.each([
  ['y\nn\n', { 'any/SKILL.md': theirs['any/SKILL.md'], 'plan/SKILL.md': ours['plan/SKILL.md'] }],
  ['what?\nno\nall\n', { 'any/SKILL.md': ours['any/SKILL.md'], 'plan/SKILL.md': theirs['plan/SKILL.md'] }],
  ['all\n', { 'any/SKILL.md': theirs['any/SKILL.md'], 'plan/SKILL.md': theirs['plan/SKILL.md'] }],
])('ask follows the answers %j', async (stdin, expected) => {
  const cwd = await learnedWorld();
  const around = { cwd, stdin, stdinIsTerminal: true };
  expect((await runAmbit('skills merge learned --into skills --mode ask', around)).exitCode).toBe(0);
  expect(await tree(join(cwd, 'skills'))).toMatchObject({ ...expected, ...added });
});

test.each(['y\nquit\n', 'y\n'])('changes nothing at quit or at the end of input: %j', async (stdin) => {
  const cwd = await learnedWorld();
  const around = { cwd, stdin, stdinIsTerminal: true };
  const { exitCode, stdout } = await runAmbit('skills merge learned --into skills --mode ask', around);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Nothing was changed.\n' });
  expect(await tree(join(cwd, 'skills'))).toEqual(ours);
});

test('Ctrl-C at a question leaves no skills and no temporary files', async () => {
  const cwd = await learnedWorld();
  const temporary = join(cwd, 'temporary');
  await mkdir(temporary);
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const signals = new EventEmitter();
  const around = { cwd, signals, stdin: new PassThrough(), stdinIsTerminal: true };
  const running = runAmbit('skills merge learned --into skills --mode ask', around);
  while (signals.listenerCount('SIGINT') === 0) await setImmediate();
  expect(await readdir(temporary)).toHaveLength(1);
  signals.emit('SIGINT');
  expect(await running).toMatchObject({
    exitCode: 130,
    stdout: '',
    stderr: expect.stringContaining('ambit: INTERRUPTED: interrupted: nothing was changed\n'),
  });
  expect(await tree(join(cwd, 'skills'))).toEqual(ours);
  expect(await readdir(temporary)).toEqual([]);
});

test('refuses ask without a terminal, and says what to do', async () => {
  const cwd = await learnedWorld();
  expect(await runAmbit('skills merge learned --into skills --mode ask', { cwd })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      'ambit: USAGE_INVALID: --mode ask needs a terminal; preview with --dry-run, then use --mode append or --mode replace\n',
  });
});

test.each([
  ['no folder', 'skills merge nowhere --into skills', /^ambit: USAGE_INVALID: .* contains no skills: /],
  ['a folder without skills', 'skills merge . --into skills', / contains no skills: /],
  [
    'a skill to merge into',
    'skills merge learned --into skills/plan',
    /is a skill; pass the folder that contains it/,
  ],
])('reports %s', async (_, line, message) => {
  const cwd = await learnedWorld();
  expect(await runAmbit(line, { cwd })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(message),
  });
  expect(await tree(join(cwd, 'skills'))).toEqual(ours);
});
