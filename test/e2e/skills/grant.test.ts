// Threat model: T111, T459

import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ambit, daemonProcess, repository, trust } from '../../support/daemon-process.ts';
import { privateHome } from '../../support/private-home.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { onTerminal, untilOver } from '../support/terminal.ts';
import { isInstalled } from '../support/typed-shell.ts';

const config = `# the operator's own
skills: [{ path: ./skills, tier: local }]
logLevel: warn # quiet
`;

const sidecar = JSON.stringify({
  run: {
    runtime: 'process',
    entry: 'run.sh',
    protocol: 'command',
    capabilities: { exec: ['sh', '@posix'], filesystem: { read: ['granted'] } },
  },
});

/** A project with a trusted configuration, a skill that prints files, and a folder that it may be granted. */
async function project() {
  const cwd = await temporaryFolder();
  await writeSkills(join(cwd, 'skills'), {
    reader: { 'ambit.yaml': sidecar, 'run.sh': '#!/bin/sh\ncat "$1"\n' },
  });
  const file = join(cwd, 'ambit.config.yaml');
  await writeFile(file, config);
  await trust(cwd);
  const data = join(cwd, 'notes');
  await mkdir(data);
  await writeFile(join(data, 'a.txt'), 'from the host\n');
  return {
    cwd,
    file,
    data,
    run: () => ambit(['run', 'reader', '--', join(data, 'a.txt')], { cwd }),
    grant: (...args: string[]) => ambit(['grant', 'reader', ...args], { cwd, isTyped: false }),
    /** As a person who has read the change. */
    decide: (...args: string[]) => ambit(['grant', 'reader', ...args], { cwd }),
    text: () => readFile(file, 'utf8'),
  };
}

test('a grant of one command lets the next call of a running daemon read the folder, and its removal ends that', async () => {
  const { cwd, file, data, run, decide, text } = await project();
  const daemon = await daemonProcess(cwd, {}, { unconfigured: true });
  onTestFinished(async () => void (await daemon.stop('SIGKILL')));
  const args = ['--data-dir', join(cwd, 'data')];
  const call = async () =>
    (await daemon.execute('reader', { args: [join(data, 'a.txt')] })).body.outcome ?? 'refused';
  expect(await call()).toBe('refused');
  expect(await decide('--read', 'notes', ...args)).toEqual({
    code: 0,
    stdout: `--- ${file}
+++ ${file}
@@ -1,3 +1,8 @@
 # the operator's own
 skills: [{ path: ./skills, tier: local }]
 logLevel: warn # quiet
+grants:
+  reader:
+    filesystem:
+      read:
+        - ${data}
Changed ${file}.
The changed configuration is trusted.
The running daemon uses it now.
`,
    stderr: '',
  });
  expect(await call()).toMatchObject({ status: 'succeeded', output: { stdout: 'from the host\n' } });
  expect(await decide('--read', data, ...args)).toEqual({
    code: 0,
    stdout: `No changes: ${file} grants this already.\n`,
    stderr: '',
  });
  const removed = await decide('--remove', '--read', 'notes', ...args);
  expect([removed.code, await text(), await call()]).toEqual([0, config, 'refused']);
  expect((await run()).code).not.toBe(0);
});

test('without a terminal, only the named change is made, once, and nothing else', async () => {
  const { grant, text, file } = await project();
  const shown = await grant('--env', 'TZ', '--dry-run', '--json');
  const { review, changed } = JSON.parse(shown.stdout);
  expect([shown.code, changed, review]).toEqual([0, false, expect.stringMatching(/^[0-9a-f]{16}$/)]);
  expect(await grant('--env', 'TZ')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Nothing was changed: a person decides, in a terminal.'),
  });
  expect(await grant('--env', 'LANG', '--review', review)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`the above is not what ${review} names`),
  });
  expect(await text()).toBe(config);
  expect(await grant('--env', 'TZ', '--review', review)).toMatchObject({ code: 0 });
  expect(await text()).toBe(`${config}grants:\n  reader:\n    env:\n      - TZ\n`);
  await writeFile(file, config);
  expect(await grant('--env', 'LANG', '--review', review)).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^ambit: CONFIG_UNTRUSTED: /),
  });
});

test.skipIf(!isInstalled('script'))(
  'at a terminal, the command itself is the decision (needs script)',
  async () => {
    const { cwd, text } = await project();
    const folder = await temporaryFolder();
    const main = join(repository, 'packages/cli/src/ambit.mjs');
    await writeFile(join(folder, 'ambit'), `#!/bin/sh\nexec node ${main} "$@"\n`, { mode: 0o755 });
    const PATH = [folder, process.env['PATH']].join(delimiter);
    const said = await untilOver(onTerminal('ambit grant reader --limit memoryBytes=1GiB', cwd, { PATH }));
    expect(said).toContain('\nThe changed configuration is trusted.\n');
    expect(await text()).toBe(`${config}grants:\n  reader:\n    limits:\n      memoryBytes: 1GiB\n`);
  },
);

test('commands at the same moment lose none of their changes', async () => {
  const { decide, text } = await project();
  // Each is decided about with the text that the one before it wrote.
  const names = ['A', 'B'];
  const until = async (name: string): Promise<void> => {
    for (let left = 20; left > 0; left -= 1) if ((await decide('--env', name)).code === 0) return;
    throw new Error(`${name} was never granted`);
  };
  await Promise.all(names.map(until));
  expect((await text()).match(/- [AB]\n/g)?.toSorted()).toEqual(names.map((name) => `- ${name}\n`));
});

test.each([
  [
    'a rule that is not YAML',
    ['--network', '{ host: [ }'],
    'USAGE_INVALID: --network { host: [ } is not YAML',
  ],
  ['a root path', ['--read', '/'], 'name the folders: /srv/data'],
  ['all hosts', ['--network', '*'], 'name the hosts'],
  ['a program by its path', ['--exec', '/bin/sh'], 'write the name of a program, not a path: python3'],
  ['a secret without a host', ['--secret', 'TOKEN'], '--secret GITHUB_TOKEN@api.github.com, not TOKEN'],
  ['a limit without a value', ['--limit', 'memoryBytes'], '--limit memoryBytes=1GiB, not memoryBytes'],
  [
    'an unknown limit',
    ['--limit', 'memory=1GiB'],
    'unknown field "memory" in grants.reader.limits (allowed fields: timeoutMs,',
  ],
  ['a limit above the limit of every call', ['--limit', 'timeoutMs=1000h'], 'grants.reader.limits.timeoutMs'],
  ['nothing', [], 'name what to grant to reader'],
  ['what is not granted, to remove', ['--remove', '--env', 'TZ'], 'reader is not granted exactly env TZ'],
  ['no grant, to remove', ['--remove'], 'reader has no grant in the configuration'],
])('refuses %s and changes nothing', async (_what, args, message) => {
  const { grant, text } = await project();
  const { code, stdout, stderr } = await grant(...args, '--dry-run');
  expect([code, stdout, stderr, await text()]).toEqual([2, '', expect.stringContaining(message), config]);
});

test('refuses a skill that does not exist, and removes the grant of a skill that is gone', async () => {
  const { cwd, file, text } = await project();
  const granted = `${config}grants: { gone: { env: [TZ] }, reader: { env: [LANG] } }\n`;
  await writeFile(file, granted);
  await trust(cwd);
  expect(await ambit(['grant', 'nobody', '--env', 'TZ'], { cwd })).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^ambit: SKILL_NOT_FOUND: /),
  });
  expect(await ambit(['grant', 'gone', '--remove'], { cwd })).toMatchObject({ code: 0 });
  expect(await text()).toBe(`${config}grants: { reader: { env: [LANG] } }\n`);
});

test('warns of items without effect, and of what they open', async () => {
  const { cwd, grant } = await project();
  await writeFile(join(cwd, 'ambit.config.yaml'), `${config}deny: { env: [TZ] }\n`);
  await trust(cwd);
  const { stderr } = await grant('--env', 'TZ', '--exec', 'git', '--read', 'absent', '--dry-run');
  expect(stderr.split('\n').slice(0, 4)).toEqual([
    `warning: filesystem.read ${join(cwd, 'absent')} does not exist: calls are refused until it does`,
    'warning: env TZ is denied by the rule TZ, so calls of reader do not get it',
    'warning: exec git is not requested by reader, so its calls do not get it',
    expect.stringMatching(/^Nothing was changed\. The name of this change: [0-9a-f]{16}$/),
  ]);
});

test('makes a configuration where there is none, and says where', async () => {
  const cwd = await temporaryFolder();
  const home = await temporaryFolder();
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'c'), XDG_DATA_HOME: join(home, 'd') };
  const args = ['grant', 'csv-profile', '--env', 'TZ'];
  const { stdout } = await ambit([...args, '--dry-run', '--json'], { cwd, env });
  const made = await ambit([...args, '--review', JSON.parse(stdout).review], { cwd, env });
  const file = join(home, 'c/ambit/ambit.config.yaml');
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining(`\nChanged ${file}.\n`) });
  expect(await readFile(file, 'utf8')).toBe('grants:\n  csv-profile:\n    env:\n      - TZ\n');
  expect((await ambit(['grants'], { cwd, env })).stdout).toBe(
    `SKILL        CAPABILITY  ITEM  FROM\ncsv-profile  env         TZ    ${file}:4\n`,
  );
});

test('changes the file behind a link', async () => {
  const { cwd, file, decide } = await project();
  const real = join(cwd, 'real.yaml');
  await writeFile(real, config);
  const args = ['--config', join(cwd, 'link.yaml')];
  await symlink('real.yaml', join(cwd, 'link.yaml'));
  expect(await decide('--env', 'TZ', ...args)).toMatchObject({ code: 0 });
  expect(await readFile(real, 'utf8')).toContain('- TZ');
  expect(await readFile(file, 'utf8')).toBe(config);
});

test('ambit grants lists what one skill may do, and what decides it', async () => {
  const { cwd, file } = await project();
  await writeFile(
    file,
    `${config}grants:\n  reader:\n    env: [LANG]\n    limits: { timeoutMs: 2m }\ndeny: { env: [TZ] }\n`,
  );
  await trust(cwd);
  const { stdout } = await ambit(['grants', 'reader', '--json'], { cwd });
  const rest = { skill: 'reader', until: null };
  expect(JSON.parse(stdout).grants).toEqual([
    { ...rest, capability: 'tier', item: 'local', from: `its folder ${join(cwd, 'skills/reader')}` },
    { ...rest, capability: 'env', item: 'LANG', from: `${file}:6` },
    { ...rest, capability: 'limits.timeoutMs', item: '2m', from: `${file}:7` },
    { ...rest, capability: 'limits.memoryBytes', item: '512MiB (at most 2GiB)', from: 'tier local' },
    { ...rest, capability: 'deny', item: 'env TZ', from: `${file}:8` },
  ]);
  expect(await ambit(['grants', 'nobody'], { cwd: privateHome })).toMatchObject({ code: 3 });
});
