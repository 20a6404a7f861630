// Threat model: T50
// Each test has a daemon of its own: the claims are about starting, reloading and ending.

import { chown, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { stdioClient } from '../support/mcp-client.ts';
import { metricsOf } from '../support/metrics.ts';

/** Waits for a result. Less often than by default, because each look reads the command lines of all processes. */
function until<T>(find: () => T | Promise<T>) {
  return vi.waitUntil(find, { interval: 250 });
}

/** A prewarmed skill. The name of its entry is on the command line of the waiting program. */
function prewarmedSkill(entry: string, program: string, capabilities: object = {}): Record<string, string> {
  const run = {
    runtime: 'process',
    entry: `scripts/${entry}`,
    prewarm: 1,
    capabilities: { exec: ['python3'], ...capabilities },
  };
  return {
    'ambit.yaml': JSON.stringify({ run }),
    [`scripts/${entry}`]: `#!/usr/bin/env python3\nimport json, os, sys, threading, time\n${program}\n`,
  };
}

const answering = 'sys.stdin.read()\nprint(1)';

async function daemonWithSkill(entry: string) {
  const folder = await temporaryFolder();
  await writeSkills(folder, {
    doubles: prewarmedSkill(entry, 'print(json.dumps({"n": json.load(sys.stdin)["n"] * 2}))'),
  });
  return startDaemon({ skills: [{ path: folder, tier: 'local' }] });
}

test('a call of a prewarmed skill runs in the waiting program, and is recorded as prewarmed', async () => {
  const daemon = await daemonWithSkill('waits-to-answer.py');
  let sandbox = '';
  // A call before the first program is ready starts its own program.
  for (let n = 0; sandbox !== 'bubblewrap, prewarmed'; n++) {
    const { body } = await daemon.execute('doubles', { input: { n } });
    expect(body.outcome).toEqual({ status: 'succeeded', output: { n: 2 * n } });
    const [record] = await daemon.audit(`?limit=1`);
    ({ sandbox } = record);
    expect(sandbox).toBeOneOf(['bubblewrap', 'bubblewrap, prewarmed']);
  }
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a daemon that ends by %s leaves no prewarmed program',
  async (signal) => {
    const entry = `waits-for-${signal}.py`;
    const daemon = await daemonWithSkill(entry);
    // A SIGKILL while the sandbox is being created can leave bubblewrap's first process behind: see THREAT_MODEL.md.
    await until(() => programOf(entry));
    await daemon.stop(signal);
    await until(async () => (await running(entry)).length === 0);
  },
);

describe('a prewarmed program that writes to a granted folder', () => {
  /** A daemon with one prewarmed skill, which touches a file in its granted folder while it waits for input. */
  async function daemonThatGrants(entry: string, more: object = {}) {
    const [skills, folder] = [await temporaryFolder(), await grantedFolder()];
    await writeSkills(skills, {
      writes: prewarmedSkill(
        entry,
        `def write():
    while True:
        os.utime(${JSON.stringify(join(folder, 'beat'))})
        time.sleep(0.01)
threading.Thread(target=write, daemon=True).start()
${answering}`,
        { filesystem: { write: ['granted'] } },
      ),
    });
    const config = {
      skills: [{ path: skills, tier: 'local' }],
      bundledSkills: false,
      discoveredSkills: false,
    };
    const grants = { writes: { filesystem: { write: [folder] } } };
    const daemon = await startDaemon({ ...config, grants, ...more });
    const waiting = await settled(daemon, entry);
    return { daemon, config, grants, skills, folder, waiting };
  }

  test('survives a reload with the same grant, is replaced if another folder is granted, and is killed before a reload that revokes its grant is reported as done', async () => {
    const entry = 'waits-for-its-grant.py';
    const { daemon, config, grants, folder, waiting } = await daemonThatGrants(entry);
    const more = { other: { env: ['TZ'] } };
    const deny = { filesystem: { read: ['/somewhere/else'] } };
    await daemon.configure({ ...config, grants: { ...grants, ...more }, deny, logLevel: 'warn' });
    expect(await reload(daemon)).toEqual({ code: 0, changed: ['deny', 'grants.other', 'logLevel'] });
    expect(await programOf(entry)).toBe(waiting);

    const other = await grantedFolder();
    await daemon.configure({ ...config, grants: { writes: { filesystem: { write: [folder, other] } } } });
    await reload(daemon);
    const now = await until(() => programOf(entry));
    expect(now).not.toBe(waiting);
    expect(await mountsOf(now)).toEqual(expect.arrayContaining([folder, other]));
    const { body } = await daemon.execute('writes', { input: 1 });
    expect(body.outcome).toEqual({ status: 'succeeded', output: 1 });
    expect((await daemon.audit('?limit=1'))[0].sandbox).toBe('bubblewrap, prewarmed');

    await settled(daemon, entry);
    await daemon.configure(config);
    expect(await reload(daemon)).toEqual({ code: 0, changed: ['grants.writes'] });
    expect(await running(entry)).toEqual([]);
    const beat = await lastWrite(folder);
    expect((await daemon.execute('writes', { input: 1 })).body.code).toBe('CAPABILITY_DENIED');
    expect({ running: await running(entry), beat: await lastWrite(folder) }).toEqual({ running: [], beat });
  });

  test('is also killed when the reload replaces its executor', async () => {
    const entry = 'waits-for-its-executor.py';
    const { daemon, config } = await daemonThatGrants(entry);
    await daemon.configure({ ...config, limits: { prewarm: 4, wasmHosts: 1 } });
    const { changed } = await reload(daemon);
    expect(changed).toContain('grants.writes');
    expect(await running(entry)).toEqual([]);
  });

  test('is killed when its skill no longer requests it, or is removed, and a new skill gets one, without a call', async () => {
    const [before, after] = ['waits-and-stops.py', 'waits-from-now-on.py'];
    const { daemon, skills } = await daemonThatGrants(before);
    const run = { runtime: 'process', capabilities: { exec: ['python3'] } };
    await writeSkills(skills, {
      writes: { 'ambit.yaml': JSON.stringify({ run: { ...run, entry: `scripts/${before}` } }) },
      begins: prewarmedSkill(after, answering),
    });
    await until(async () => {
      const [stopped, begun] = [await running(before), await programOf(after)];
      return stopped.length === 0 && begun !== undefined;
    });
    await settled(daemon, after);
    await rm(join(skills, 'begins'), { recursive: true });
    await until(async () => (await running(after)).length === 0);
  });

  test('is replaced after limits.maxPrewarmSeconds', async () => {
    const entry = 'waits-for-a-second.py';
    const { waiting } = await daemonThatGrants(entry, { limits: { maxPrewarmSeconds: 1 } });
    await until(async () => {
      const now = await programOf(entry);
      return now !== undefined && now !== waiting;
    });
  });
});

test('a program prewarmed by "ambit mcp" is killed when its skill is removed, without a call', async () => {
  const entry = 'waits-in-mcp.py';
  const [folder, skills] = [await temporaryFolder(), await temporaryFolder()];
  await writeSkills(skills, { counts: prewarmedSkill(entry, answering) });
  const file = join(folder, 'ambit.config.yaml');
  await writeFile(file, JSON.stringify({ skills: [{ path: skills, tier: 'local' }], bundledSkills: false }));
  const client = await stdioClient(file);
  const { isError } = await client.callTool({ name: 'counts', arguments: { input: 1 } });
  expect(isError ?? false).toBe(false);
  await until(() => programOf(entry));
  // A program that is still starting would be ended by any change.
  for (let count = 0; count < 20; count++) await client.listTools();
  await rm(join(skills, 'counts'), { recursive: true });
  await until(async () => (await running(entry)).length === 0);
});

/** Waits until one program waits, which a change would otherwise end while it starts, and returns its id. */
async function settled(daemon: Daemon, entry: string): Promise<string> {
  await until(async () => {
    const { ambit_prewarmed_programs: ready, ambit_prewarmed_programs_starting: starting } =
      await metricsOf(daemon);
    return ready === 1 && starting === 0;
  });
  // The program is counted when its sandbox has started, a moment before it shows its name.
  return until(() => programOf(entry));
}

/** A folder that the daemon's skills may write, with the file that the skill touches. */
async function grantedFolder(): Promise<string> {
  const folder = await realpath(await temporaryFolder());
  await writeFile(join(folder, 'beat'), '');
  // The host user of skills with granted paths, when the daemon is root.
  if (process.getuid?.() === 0)
    for (const path of [folder, join(folder, 'beat')]) await chown(path, 61_184, 61_184);
  return folder;
}

async function lastWrite(folder: string): Promise<bigint> {
  return (await stat(join(folder, 'beat'), { bigint: true })).mtimeNs;
}

/** Runs `ambit config reload`, which waits until the reload is done. */
async function reload(daemon: Daemon): Promise<{ code: number | null; changed: string[] }> {
  const where = ['--config', join(daemon.dataDir, '../ambit.config.yaml'), '--data-dir', daemon.dataDir];
  const { code, stdout } = await ambit(['config', 'reload', ...where]);
  return { code, changed: Array.from(stdout.matchAll(/^ {2}(\S+)$/gm), ([, key = '']) => key) };
}

/** The mount points that a process sees. */
async function mountsOf(pid: string): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/mountinfo`, 'utf8');
  return text.split('\n').map((line) => line.split(' ')[4] ?? '');
}

/** The id of the skill's program, if it is running. */
async function programOf(entry: string): Promise<string | undefined> {
  for (const pid of await running(entry)) {
    const [program = ''] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (program.startsWith('/usr/bin/python3')) return pid;
  }
  return undefined;
}

/** The ids of all processes whose command line contains a name: the program and the bubblewrap around it. */
async function running(name: string): Promise<string[]> {
  const processes = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const lines = await Promise.all(
    processes.map((pid) => readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '')),
  );
  return processes.filter((_, at) => lines[at]?.includes(name));
}
