// Threat model: T21, T22, T25, T26, T31, T34, T146, T218

import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { trustDataDir, trustStore } from '../../../packages/client/src/node.ts';
import { startDaemon } from '../../support/daemon.ts';
import { ambit, repository, trust } from '../../support/daemon-process.ts';
import { localServer } from '../../support/local-server.ts';
import { userFolders } from '../../support/private-home.ts';
import { projectFolder } from '../../support/project-folder.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';
import { stdioClientIn } from '../support/mcp-client.ts';

const mail = JSON.stringify({ text: 'ada@example.org' });
const redacted = { code: 0, stdout: expect.stringContaining('[redacted-email]') };
const run = ['run', 'text-redact', '--input', '-'];
/** The trust store of the user who runs the programs of these tests. */
const ownStore = trustStore(process.env['XDG_DATA_HOME']);

describe('in a folder with an untrusted configuration that has a command', () => {
  test('a harmless skill is refused, no command runs and nothing is created; once trusted, both run', async () => {
    const { cwd, marker } = await cloned();
    expect(await ambit(run, { cwd, stdin: mail })).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(
          `^ambit: CONFIG_UNTRUSTED: the configuration ${cwd}/ambit.config.yaml is not trusted, so Ambit does not use it: .* A person decides whether to trust it\nIn a terminal, Ambit shows them what it allows, and asks.\n$`,
        ),
      ),
    });
    expect([existsSync(marker), existsSync(join(cwd, '.ambit'))]).toEqual([false, false]);
    expect(await ambit(['trust', '--yes'], { cwd })).toMatchObject({ code: 0 });
    expect(await ambit(run, { cwd, stdin: mail })).toMatchObject(redacted);
    await vi.waitUntil(() => existsSync(marker));
  });

  test('a call is also refused in a folder below, and with a variable in a .env, which Ambit does not read', async () => {
    const { cwd, marker } = await cloned();
    await mkdir(join(cwd, 'src'));
    for (const folder of [cwd, join(cwd, 'src')])
      await writeFile(join(folder, '.env'), `AMBIT_CONFIG=${cwd}/ambit.config.yaml\n`);
    expect(await ambit(run, { cwd: join(cwd, 'src'), stdin: mail })).toMatchObject({ code: 3, stdout: '' });
    expect(existsSync(marker)).toBe(false);
    const env = { AMBIT_CONFIG: `${cwd}/ambit.config.yaml` };
    expect(await ambit(run, { cwd: join(cwd, 'src'), stdin: mail, env })).toMatchObject(redacted);
    await vi.waitUntil(() => existsSync(marker));
  });

  test('an agent gets the refusal as the answer to its first requests, and is served once the file is trusted or named', async () => {
    const { cwd, marker } = await cloned();
    for (const era of isWhole ? (['auto', 'legacy'] as const) : (['auto'] as const))
      await expect(stdioClientIn(cwd, [], era)).rejects.toThrow(
        /CONFIG_UNTRUSTED: [^\n]* A person decides whether to trust it$/,
      );
    expect([existsSync(marker), existsSync(join(cwd, '.ambit'))]).toEqual([false, false]);

    const named = await stdioClientIn(cwd, ['--config', '/dev/null', '--data-dir', await temporaryFolder()]);
    expect(await redactedBy(named)).toContain('[redacted-email]');
    expect(existsSync(marker)).toBe(false);

    await trust(cwd);
    const trusted = await stdioClientIn(cwd);
    expect(await redactedBy(trusted)).toContain('[redacted-email]');
    await trusted.close();
    await vi.waitUntil(() => existsSync(marker));
  });

  test('ambit mcp exits with 3 and the refusal on stderr if its agent sends nothing or disconnects', async () => {
    const { cwd } = await cloned();
    expect(await ambit(['mcp'], { cwd })).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^ambit: CONFIG_UNTRUSTED: /),
    });
    const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}\nno json\n';
    expect(await ambit(['mcp'], { cwd, stdin: notification })).toMatchObject({ code: 3, stdout: '' });
    const request = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n';
    const { stdout } = await ambit(['mcp'], { cwd, stdin: request });
    expect(JSON.parse(stdout)).toMatchObject({
      id: 7,
      error: { code: -32_000, data: { code: 'CONFIG_UNTRUSTED' } },
    });
  });

  const sample = [
    'serve --port 0',
    'skills list',
    'key create bot --scope prompt',
    'export wreckit --out out',
    'config reload',
    'prompt --phase implement',
    'import folder https://example.org/x',
  ];
  const others = ['skills show text-redact', 'audit', 'audit verify', 'key list', 'config', 'workspace list'];
  test.each(isWhole ? [...sample, ...others] : sample)(
    'ambit %s is refused and creates nothing',
    async (line) => {
      const { cwd, marker } = await cloned();
      expect(await ambit([...line.split(' '), '--json'], { cwd })).toEqual({
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(/^\{"error":\{"code":"CONFIG_UNTRUSTED"/),
      });
      expect([existsSync(marker), await readdir(cwd)]).toEqual([false, ['ambit.config.yaml']]);
    },
  );

  test('ambit doctor reports it, checks only the machine, and exits with 4; completion uses nothing of it', async () => {
    const { cwd } = await cloned();
    const { code, stdout } = await ambit(['doctor', '--json'], { cwd });
    const { checks } = JSON.parse(stdout);
    expect({ code, names: checks.map(({ name }: { name: string }) => name) }).toEqual({
      code: 4,
      names: expect.not.arrayContaining(['data directory', 'keys', 'daemon']),
    });
    expect(checks.at(-1)).toMatchObject({
      name: 'configuration',
      status: 'missing',
      fix: 'A person decides, in a terminal, whether to trust it',
    });
    const completed = await ambit(['__complete', 'fish', '--', 'prompt', '--phase', ''], { cwd });
    expect(completed).toEqual({ code: 0, stdout: 'nothing\n', stderr: '' });
  });
});

describe("a trust store that is not the user's", () => {
  test('is not used if HOME leads into the repository, or is relative or empty in a folder that has a store', async () => {
    const { cwd } = await cloned();
    const env = { HOME: cwd, XDG_DATA_HOME: join(cwd, '.local/share') };
    // Like the store of its author, who has trusted the same file at the same path.
    const elsewhere = await temporaryFolder();
    await trust(cwd, elsewhere);
    await cp(elsewhere, join(cwd, '.local/share'), { recursive: true });
    const byHome = await ambit(run, { cwd, stdin: mail, env: { ...env, XDG_DATA_HOME: '' } });
    expect(byHome).toMatchObject({ code: 3, stdout: '' });
    const byName = await ambit(run, { cwd, stdin: mail, env });
    expect(byName).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('is inside the folder that it would vouch for'),
    });
    for (const relative of [
      { HOME: '', XDG_DATA_HOME: '' },
      { HOME: '.', XDG_DATA_HOME: '.local/share' },
    ])
      expect(await ambit(run, { cwd, stdin: mail, env: relative })).toMatchObject({ code: 3, stdout: '' });
    const own = await ambit(run, { cwd, stdin: mail, env: { ...env, XDG_DATA_HOME: elsewhere } });
    expect(own).toMatchObject(redacted);
  });
});

describe('a data directory that came with a folder', () => {
  const key = `ambit_${'k'.repeat(43)}`;
  async function withKey(): Promise<string> {
    const cwd = await realpath(await temporaryFolder());
    await mkdir(join(cwd, '.ambit'), { mode: 0o700 });
    await writeFile(join(cwd, '.ambit/key'), `${key}\n`, { mode: 0o600 });
    return cwd;
  }

  test('is refused, and works once it is trusted or named', async () => {
    const cwd = await withKey();
    const refused = await ambit(run, { cwd, stdin: mail });
    expect(refused).toEqual({
      code: 3,
      stdout: '',
      stderr: `ambit: CONFIG_UNTRUSTED: the data directory ${cwd}/.ambit is not trusted, so Ambit does not use it: it is not recorded as yours (Ambit records only directories that it creates without --config and --data-dir). A person decides whether to trust it\nIn a terminal, Ambit shows them what it allows, and asks.\n`,
    });
    expect(await ambit(['serve', '--port', '0'], { cwd })).toMatchObject({ code: 3 });
    expect(await readdir(join(cwd, '.ambit'))).toEqual(['key']);
    expect(await ambit([...run, '--data-dir', '.ambit'], { cwd, stdin: mail })).toMatchObject(redacted);
    expect(await ambit(['trust', '--yes'], { cwd })).toMatchObject({ code: 0 });
    expect(await ambit(run, { cwd, stdin: mail })).toMatchObject(redacted);
  });

  test('that Ambit creates and cannot record is not used by its daemon, and needs ambit trust', async () => {
    const cwd = await realpath(await projectFolder({ file: '' }));
    const env = { XDG_DATA_HOME: join(cwd, 'file') };
    const first = await ambit(run, { cwd, stdin: mail, env });
    expect(first).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(
        /^ambit: cannot record the data directory as yours: .*\nambit: DAEMON_START_FAILED: .*\nambit: CONFIG_UNTRUSTED: /,
      ),
    });
    expect(await ambit(run, { cwd, stdin: mail, env })).toMatchObject({ code: 3, stdout: '' });
    expect(await ambit(['trust', '--yes'], { cwd, env })).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /^ambit: TRUST_STORE_UNUSABLE: .*: set XDG_DATA_HOME to a folder that you can write\n$/,
      ),
    });
    await trustDataDir(ownStore, join(cwd, '.ambit'), Date.now());
    expect(await ambit(run, { cwd, stdin: mail })).toMatchObject(redacted);
  });

  test("leads no program to its author's daemon; the user's own data directory leads to the user's daemon", async () => {
    let heard = 0;
    const { origin } = await localServer((_, response) => {
      heard += 1;
      response.end('{"skills":[]}');
    });
    const announced = JSON.stringify({ pid: process.pid, url: origin });
    const cwd = await withKey();
    await writeFile(join(cwd, '.ambit/daemon.json'), announced);
    const refused = await program(cwd);
    expect(refused).toMatch(
      /^UNREACHABLE: the data directory .*\.ambit is not trusted: it is not recorded as yours \(Ambit records only directories that it creates without --config and --data-dir\)\./,
    );
    expect(heard).toBe(0);
    await trustDataDir(ownStore, join(cwd, '.ambit'), Date.now());
    expect(await program(cwd)).toBe('[]');
    expect(heard).toBe(1);
  });
});

test('a daemon continues with the trusted configuration, and applies an edit once that is trusted too', async () => {
  const skills = await temporaryFolder();
  await writeSkills(skills, {
    reader: pythonSkill('print(json.dumps(1))', {
      capabilities: { exec: ['python3'], filesystem: { read: ['granted'] } },
    }),
  });
  const daemon = await startDaemon({}, { unconfigured: true });
  const folder = join(daemon.dataDir, '..');
  const config = { skills: [{ path: skills, tier: 'local' }] };
  const granted = { ...config, grants: { reader: { filesystem: { read: ['/usr/share'] } } } };
  const called = async () => (await daemon.execute('reader', { input: 1 })).body;

  await daemon.configure(granted);
  const at = ['--data-dir', daemon.dataDir];
  expect(await ambit(['config', 'reload', ...at], { cwd: folder })).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^ambit: CONFIG_UNTRUSTED: /),
  });
  daemon.signal('SIGHUP');
  const readiness = async () => (await daemon.request('GET', '/readyz')).body.configuration;
  await vi.waitUntil(async () => (await readiness()) === 'refused', { interval: 50 });
  expect(await called()).toMatchObject({ code: 'SKILL_NOT_FOUND' });
  expect(daemon.logged()).toContain(
    'is not trusted, so Ambit does not use it: a configuration can run commands as you',
  );

  await trust(folder);
  expect(await ambit(['config', 'reload', ...at], { cwd: folder })).toMatchObject({ code: 0 });
  expect(await called()).toMatchObject({ outcome: { status: 'succeeded' } });

  await appendFile(join(folder, 'ambit.config.yaml'), '\n');
  daemon.signal('SIGHUP');
  await vi.waitUntil(async () => (await readiness()) === 'refused', { interval: 50 });
  expect(daemon.logged()).toContain('it changed after you trusted it at');
  expect(await called()).toMatchObject({ outcome: { status: 'succeeded' } });
});

test('a call from inside a skill folder creates nothing there, and is recorded', async () => {
  const folder = await realpath(await temporaryFolder());
  const skill = join(folder, 'skills/text-redact');
  await cp(join(repository, 'skills/text-redact'), skill, { recursive: true });
  const before = await readdir(skill);
  const env = { XDG_DATA_HOME: await temporaryFolder() };
  expect(await ambit(run, { cwd: skill, stdin: mail, env })).toMatchObject(redacted);
  expect(await readdir(skill)).toEqual(before);
  const { stdout } = await ambit(['audit', '--json'], { cwd: join(skill), env });
  expect(JSON.parse(stdout).records).toMatchObject([
    { via: 'cli', skill: { id: 'text-redact' }, outcome: 'succeeded' },
  ]);
  expect(await ambit([...run, '--data-dir', 'data'], { cwd: skill, stdin: mail, env })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('in the skill folder'),
  });
  expect(await readdir(skill)).toEqual(before);
});

describe('git status', () => {
  const untracked = (cwd: string): string =>
    execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd, encoding: 'utf8' });
  const clone = async (): Promise<string> => {
    const cwd = await realpath(await projectFolder());
    execFileSync('git', ['init', '--quiet', cwd]);
    return cwd;
  };

  const createKey = ['key', 'create', 'bot', '--scope', 'prompt'];
  const others = [run, ['skills', 'add', join(repository, 'skills'), '--namespace', 'ours']];
  test.each(isWhole ? [createKey, ...others] : [createKey])(
    'lists nothing of the data directory that ambit %s creates',
    async (...args) => {
      const cwd = await clone();
      await ambit(args, { cwd, stdin: mail });
      expect(existsSync(join(cwd, '.ambit'))).toBe(true);
      expect(untracked(cwd)).not.toContain('.ambit');
    },
  );

  test('lists nothing of the data directory that a daemon creates', async () => {
    const cwd = await clone();
    const stop = new AbortController();
    const options = { cwd, signal: stop.signal, killWith: 'SIGTERM' } as const;
    const stopped = ambit(['serve', '--port', '0'], options);
    await vi.waitUntil(() => existsSync(join(cwd, '.ambit/daemon.json')));
    expect([existsSync(join(cwd, '.ambit/key')), untracked(cwd)]).toEqual([true, '']);
    stop.abort();
    expect(await stopped).toMatchObject({ code: 0 });
  });
});

test("a call from inside a skill folder uses the project's configuration and data directory", async () => {
  const cwd = await realpath(await temporaryFolder());
  await writeFile(join(cwd, 'ambit.config.yaml'), 'skills: [{ path: ./skills, tier: local }]\n');
  await ambit(['skills', 'new', 'word-count', '--runtime', 'wasm'], { cwd });
  await trust(cwd);
  const skill = join(cwd, 'skills/word-count');
  const before = await readdir(skill);
  const ran = await ambit(['run', 'word-count', '--input', '-'], { cwd: skill, stdin: '{"text":"one two"}' });
  expect(ran).toMatchObject({ code: 0, stdout: '{"words":2,"lines":1}\n' });
  expect(await readdir(skill)).toEqual(before);
  expect(existsSync(join(cwd, '.ambit/audit.db'))).toBe(true);
});

/** A cloned folder whose configuration has a command that leaves a mark elsewhere. */
async function cloned(): Promise<{ cwd: string; marker: string }> {
  const [cwd, elsewhere] = [await realpath(await temporaryFolder()), await temporaryFolder()];
  const marker = join(elsewhere, 'it-ran');
  const config = {
    audit: { checkpoints: { command: ['touch', marker] } },
    phases: { plan: { tools: ['Read'] } },
  };
  await writeFile(join(cwd, 'ambit.config.yaml'), JSON.stringify(config));
  return { cwd, marker };
}

async function redactedBy(client: Awaited<ReturnType<typeof stdioClientIn>>): Promise<string> {
  return JSON.stringify(await client.callTool({ name: 'text-redact', arguments: JSON.parse(mail) }));
}

/** The skills that a program with the client lists in a folder. */
async function program(cwd: string): Promise<string> {
  await mkdir(join(cwd, 'node_modules/@ambit'), { recursive: true });
  await rm(join(cwd, 'node_modules/@ambit/client'), { force: true });
  await symlink(join(repository, 'packages/client'), join(cwd, 'node_modules/@ambit/client'));
  const source = `
import { ambitClient } from '@ambit/client';
import { findDaemon } from '@ambit/client/node';
try {
  const { url, key } = await findDaemon();
  const answer = await fetch(url, { headers: { authorization: key } });
  process.stdout.write(JSON.stringify((await answer.json()).skills));
} catch (error) {
  process.stdout.write(error.code + ': ' + error.message);
}
`;
  await writeFile(join(cwd, 'program.mjs'), source);
  const child = spawn(process.execPath, ['program.mjs'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', ...userFolders(), NO_COLOR: '1' },
  });
  return text(child.stdout ?? []);
}
