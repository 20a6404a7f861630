// Each test has daemons of its own: the claims are about their starts and ends.
// Threat model: T430, T431, T432, T434, T435, T436, T446

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { announcedDaemon, announcementFile } from '../../../packages/client/src/node.ts';
import { walkLog } from '../../../packages/server/src/audit/testing/walk-log.ts';
import { startDaemon } from '../../support/daemon.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { userFolders } from '../../support/private-home.ts';
import { pythonSkill } from '../../support/skills.ts';
import { until } from '../../support/until.ts';
import { initialize, stdioClient } from '../support/mcp-client.ts';
import { isAlive, onDemandWorld, shortIdle } from '../support/on-demand.ts';
import { patientLimits, waiter, waiterWorld } from '../support/waiter.ts';

/** The skills of these tests. `slow` reports that it runs, which is recorded by then, and runs until it is ended. */
const skills = {
  double: pythonSkill("print(json.dumps({'n': given['n'] * 2}))", {
    input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    output: { type: 'object', properties: { n: { type: 'integer' } } },
  }),
  slow: pythonSkill("print('::progress 1/2 begun', file=sys.stderr, flush=True); time.sleep(600)", {
    limits: patientLimits,
  }),
};

/** For daemons that end only with their test. */
const longIdle = { AMBIT_IDLE: '600000' };

type Client = Awaited<ReturnType<typeof stdioClient>>;

/** A world with a second configuration for its data directory, `strict`, which has no skills. */
async function strictWorld(more: object = {}) {
  const world = await onDemandWorld(skills, more);
  const strict = `${world.file}.strict.yaml`;
  await writeFile(strict, JSON.stringify({ bundledSkills: false, skills: [], dataDir: world.dataDir }));
  return { ...world, strict };
}

async function doubled(client: Client, n = 1): Promise<unknown> {
  return (await client.callTool({ name: 'double', arguments: { n } })).structuredContent;
}

test('fifteen agents and five commands that start at the same moment share one daemon, whose log has every call, and which ends by itself', async () => {
  const { file, dataDir, daemon, ended } = await onDemandWorld(skills);
  const agent = async (n: number) => {
    const client = await stdioClient(file, n % 2 === 0 ? 'modern' : 'legacy');
    return { client, answer: await doubled(client, n), pid: (await daemon()).pid };
  };
  const command = async (n: number) => {
    const words = ['run', 'double', '--input', `{"n":${n}}`, '--json', '--config', file];
    const { code, stdout, stderr } = await ambit(words, { env: shortIdle });
    return code === 0 ? JSON.parse(stdout).outcome.output : { code, stdout, stderr };
  };
  const numbers = Array.from({ length: 20 }, (_, n) => n);
  const [agents, answers] = await Promise.all([
    Promise.all(numbers.slice(0, 15).map(agent)),
    Promise.all(numbers.slice(15).map(command)),
  ]);
  expect([...agents.map(({ answer }) => answer), ...answers]).toEqual(numbers.map((n) => ({ n: n * 2 })));
  expect(new Set(agents.map(({ pid }) => pid)).size).toBe(1);
  await Promise.all(agents.map(({ client }) => client.close()));
  await ended();
  const { events } = walkLog(join(dataDir, 'audit.db'));
  expect(events.filter(({ event }) => event.kind === 'daemon.started')).toHaveLength(1);
  const { stdout } = await ambit([
    'audit',
    '--skill',
    'double',
    '--limit',
    '100',
    '--json',
    '--config',
    file,
  ]);
  const { records } = JSON.parse(stdout) as { records: { via: string; outcome: string }[] };
  expect(records.map(({ via, outcome }) => `${via} ${outcome}`).sort()).toEqual([
    ...Array<string>(5).fill('cli succeeded'),
    ...Array<string>(15).fill('mcp succeeded'),
  ]);
  expect(await ambit(['audit', 'verify', '--config', file])).toMatchObject({ code: 0 });
  expect((await stat(join(dataDir, 'daemon.log'))).mode & 0o777).toBe(0o600);
});

test('the daemon has only named variables of its first caller, and neither its folder, terminal, umask nor open files; ambit doctor, config and stop find it', async () => {
  const { file, dataDir, daemon, ended } = await onDemandWorld(skills, {
    secrets: { token: { env: 'NAMED_TOKEN' } },
    grants: { double: { env: ['NAMED_VARIABLE'] } },
  });
  const words = ['-c', 'umask 000; exec "$0" "$@"', process.execPath];
  const program = join(repository, 'packages/cli/src/ambit.mjs');
  const caller = spawn('sh', [...words, program, 'mcp', '--config', file], {
    cwd: repository,
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      NAMED_TOKEN: 'a',
      NAMED_VARIABLE: 'b',
      CALLERS_KEY: 'sk-1',
      AMBIT_KEY: '',
      SSH_AUTH_SOCK: '/tmp/agent',
      ...longIdle,
      ...userFolders(),
    },
  });
  onTestFinished(() => void caller.kill('SIGKILL'));
  caller.stdin?.write(`${JSON.stringify(initialize())}\n`);
  expect(JSON.parse(String((await once(caller.stdout ?? caller, 'data'))[0]))).toMatchObject({ id: 1 });

  const { pid } = await daemon();
  const proc = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8');
  const names = (await proc('environ')).split('\0').map((each) => each.split('=')[0]);
  expect(names.filter(Boolean).sort()).toEqual([
    'AMBIT_IDLE',
    'LANG',
    'NAMED_TOKEN',
    'NAMED_VARIABLE',
    'PATH',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
  ]);
  expect(await readlink(`/proc/${pid}/cwd`)).toBe(dataDir);
  expect(await proc('status')).toMatch(/^Umask:\t0022$/m);
  const [, , , session, terminal] = (await proc('stat')).split(') ')[1]?.split(' ') ?? [];
  expect([Number(session), terminal]).toEqual([pid, '0']);
  const opened = await Promise.all([0, 1, 2, 3].map((number) => readlink(`/proc/${pid}/fd/${number}`)));
  const log = join(dataDir, 'daemon.log');
  expect(opened).toEqual(['/dev/null', log, log, expect.not.stringContaining('pipe:')]);

  const { stdout } = await ambit(['doctor', '--json', '--config', file]);
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({
      name: 'daemon',
      status: 'ok',
      found: expect.stringMatching(
        new RegExp(`^started on demand \\(process ${pid}\\), socket \\S+, log ${log}, version `),
      ),
    }),
  );
  expect((await ambit(['config', '--config', file])).stderr).toMatch(
    new RegExp(
      `A daemon runs for ${dataDir} \\(process ${pid}, started on demand\\)\\. Socket: \\S+\\. Log: ${log}\\.`,
    ),
  );
  const stop = () => ambit(['stop', '--config', file]);
  expect(await stop()).toEqual({ code: 0, stdout: `Stopped the daemon (process ${pid}).\n`, stderr: '' });
  await ended();
  expect(await isAlive(pid)).toBe(false);
  expect(await stop()).toEqual({ code: 0, stdout: `No daemon runs for ${dataDir}.\n`, stderr: '' });
});

test('a daemon that is killed while it starts is reported once, with its log, and the next message starts another one', async () => {
  const { file, dataDir, daemon } = await onDemandWorld(skills);
  const client = stdioClient(file, 'legacy', { env: longIdle });
  const starting = await daemon(({ socket }) => socket === undefined);
  process.kill(starting.pid, 'SIGKILL');
  await expect(client).rejects.toThrow(
    `the daemon was ended by SIGKILL while it started. Its log is ${join(dataDir, 'daemon.log')}`,
  );
  const next = await stdioClient(file, 'modern', { env: longIdle });
  expect(await doubled(next)).toEqual({ n: 2 });
  expect((await daemon()).pid).not.toBe(starting.pid);
});

test('a call whose daemon is killed is reported and recorded as interrupted, and the next call starts another daemon', async () => {
  const { file, daemon } = await onDemandWorld(skills);
  const client = await stdioClient(file, 'modern', { env: longIdle });
  const kill = async () => process.kill((await daemon()).pid, 'SIGKILL');
  const call = client.callTool(
    { name: 'slow', arguments: { input: 1 } },
    { onprogress: ({ message }) => void (message === 'begun' && kill()) },
  );
  await expect(call).rejects.toMatchObject({
    message: expect.stringContaining('check its record with "ambit audit" before you call again'),
  });
  expect(await doubled(client)).toEqual({ n: 2 });
  const { stdout } = await ambit(['audit', '--skill', 'slow', '--json', '--config', file]);
  expect(JSON.parse(stdout).records).toMatchObject([{ via: 'mcp', outcome: 'interrupted' }]);
});

test('a daemon whose data directory is moved away while an agent uses it ends, and the agent continues with another one', async () => {
  const { file, dataDir, daemon } = await onDemandWorld(skills);
  const client = await stdioClient(file, 'modern', { env: longIdle });
  expect(await doubled(client, 1)).toEqual({ n: 2 });
  const { pid } = await daemon();
  await rename(dataDir, `${dataDir}.moved`);
  await until(async () => !(await isAlive(pid)));
  expect(await readdir(dirname(dataDir))).not.toContain('data');
  expect(await doubled(client, 3)).toEqual({ n: 6 });
  expect((await daemon()).pid).not.toBe(pid);
  expect(walkLog(join(`${dataDir}.moved`, 'audit.db')).events).not.toEqual([]);
});

test('a daemon without its socket, as after the end of a login session, is replaced when it is idle; a busy one is named', async () => {
  const { file, dataDir, daemon } = await onDemandWorld(skills);
  const list = async () => {
    const { code, stderr } = await ambit(['skills', 'list', '--config', file], { env: longIdle });
    return { code, stderr, pid: (await daemon()).pid };
  };
  const withoutSocket = async () => {
    const { pid, socket = '' } = await daemon();
    await rm(socket);
    return { pid, socket };
  };
  const first = await list();
  await withoutSocket();
  expect(await list()).toEqual({ code: 0, stderr: '', pid: expect.not.toBeOneOf([first.pid]) });

  const client = await stdioClient(file, 'modern', { env: longIdle });
  const begun = Promise.withResolvers<void>();
  const stop = new AbortController();
  const slow = client.callTool(
    { name: 'slow', arguments: { input: 1 } },
    { onprogress: () => begun.resolve(), signal: stop.signal },
  );
  await begun.promise;
  const { pid, socket } = await withoutSocket();
  expect(await list()).toEqual({
    code: 4,
    stderr: `ambit: DATA_DIR_TAKEN: the daemon (process ${pid}) that uses ${dataDir} is in use, and no command can reach it: its socket ${socket} was removed, or others can write its folder. To end it, run: ambit stop\n`,
    pid,
  });
  stop.abort();
  await expect(slow).rejects.toThrow();
  await until(async () => !(await isAlive(pid)));
  expect(await list()).toMatchObject({ code: 0, stderr: '' });
});

test('a call that arrives while the daemon ends is served by the next one', async () => {
  const { file, dataDir } = await onDemandWorld(skills);
  const client = await stdioClient(file, 'modern', { env: { AMBIT_IDLE: '100' } });
  expect(await doubled(client, 1)).toEqual({ n: 2 });
  await until(async () => (await announcedDaemon(dataDir))?.socket === undefined);
  expect(await doubled(client, 3)).toEqual({ n: 6 });
});

test('the daemon of ambit run --no-daemon ends after the call of another command that uses it', async () => {
  const { config, file: gate } = await waiterWorld(skills);
  const { file, daemon, ended } = await onDemandWorld({ ...skills, waiter }, { grants: config.grants });
  const [first, second] = [gate(), gate()];
  const words = ['run', 'waiter', '--input', JSON.stringify(first.path), '--no-daemon', '--config', file];
  const alone = ambit(words, { env: longIdle });
  await daemon();
  const client = await stdioClient(file, 'modern', { env: longIdle });
  const begun = Promise.withResolvers<void>();
  const call = client.callTool(
    { name: 'waiter', arguments: { input: second.path } },
    { onprogress: () => begun.resolve() },
  );
  await begun.promise;
  await first.make();
  expect(await alone).toMatchObject({ code: 0 });
  await second.make();
  expect((await call).content).toMatchObject([{ text: '"released"' }]);
  await client.close();
  await ended();
});

test('ambit serve takes over from a daemon on demand after its running calls, and the agent continues with it', async () => {
  const { config, file: gate } = await waiterWorld(skills);
  const { file, dataDir, daemon } = await onDemandWorld({ ...skills, waiter }, { grants: config.grants });
  const client = await stdioClient(file, 'modern', { env: longIdle });
  const { path, make: letGo } = gate();
  const begun = Promise.withResolvers<void>();
  const call = client.callTool(
    { name: 'waiter', arguments: { input: path } },
    { onprogress: () => begun.resolve() },
  );
  await begun.promise;
  const { pid } = await daemon();
  const serving = startDaemon({ ...config, bundledSkills: false }, { dataDir });
  // It has been asked to end, and drains.
  await daemon(({ socket }) => socket === undefined);
  const doubling = doubled(client);
  await letGo();
  expect((await call).structuredContent ?? (await call).content).toMatchObject([{ text: '"released"' }]);
  const served = await serving;
  expect(await isAlive(pid)).toBe(false);
  expect(await doubling).toEqual({ n: 2 });
  const records = await served.audit();
  expect(records.map(({ skill, outcome }) => [skill.id, outcome])).toEqual([
    ['double', 'succeeded'],
    ['waiter', 'succeeded'],
  ]);
});

test('an idle daemon of another version is replaced, and a busy one is used with a note', async () => {
  const { file, dataDir, daemon } = await onDemandWorld(skills);
  const client = await stdioClient(file, 'modern', { env: longIdle });
  const ages = async () => {
    const found = await daemon();
    await writeFile(announcementFile(dataDir), JSON.stringify({ ...found, version: '0.0.1' }));
    return found.pid;
  };
  const first = await ages();
  expect(await doubled(client)).toEqual({ n: 2 });
  const second = await ages();
  expect(second).not.toBe(first);
  const begun = Promise.withResolvers<void>();
  const stop = new AbortController();
  const slow = client.callTool(
    { name: 'slow', arguments: { input: 1 } },
    { onprogress: () => begun.resolve(), signal: stop.signal },
  );
  // Its own request replaced the second one, which was idle.
  await begun.promise;
  const third = await ages();
  expect(await doubled(client)).toEqual({ n: 2 });
  expect((await daemon()).pid).toBe(third);
  stop.abort();
  await expect(slow).rejects.toThrow();
  await vi.waitUntil(async () => !(await isAlive(third)));
});

test('a command that follows an edit of the configuration uses the edit, also if it needs a restart', async () => {
  const { file, daemon } = await onDemandWorld(skills);
  const listed = async () => {
    const { stdout, stderr } = await ambit(['skills', 'list', '--json', '--config', file], { env: longIdle });
    expect(stderr).toBe('');
    return JSON.parse(stdout).skills.map(({ id }: { id: string }) => id);
  };
  const first = JSON.parse(await readFile(file, 'utf8'));
  const edited = async (more: object) => {
    await writeFile(file, JSON.stringify({ ...first, ...more }));
    return listed();
  };
  expect(await listed()).toEqual(['double', 'slow']);
  const { pid } = await daemon();
  expect(await edited({ skills: [] })).toEqual([]);
  expect((await daemon()).pid).toBe(pid);
  expect(await edited({ bodyLimitBytes: 2 ** 20 })).toEqual(['double', 'slow']);
  expect((await daemon()).pid).not.toBe(pid);
});

test('commands with different configurations that start a daemon at the same moment never use the one of the other', async () => {
  const { file, strict } = await strictWorld();
  const listed = async (config: string) => {
    const words = ['skills', 'list', '--json', '--config', config];
    const { code, stdout, stderr } = await ambit(words, { env: longIdle });
    return code === 0 ? JSON.parse(stdout).skills.length : JSON.parse(stderr).error.code;
  };
  const answers = await Promise.all([listed(file), listed(strict)]);
  expect([
    [2, 0],
    [2, 'DATA_DIR_TAKEN'],
    ['DATA_DIR_TAKEN', 0],
  ]).toContainEqual(answers);
});

test('an agent whose daemon has ended does not use one with another configuration', async () => {
  const { file, strict, daemon } = await strictWorld();
  const agent = await stdioClient(strict, 'modern', { env: longIdle });
  await agent.listTools();
  const first = await daemon();
  await ambit(['stop', '--config', strict]);
  const other = await stdioClient(file, 'modern', { env: longIdle });
  const begun = Promise.withResolvers<void>();
  const stop = new AbortController();
  const slow = other.callTool(
    { name: 'slow', arguments: { input: 1 } },
    { onprogress: () => begun.resolve(), signal: stop.signal },
  );
  await begun.promise;
  const { pid } = await daemon();
  expect(pid).not.toBe(first.pid);
  await expect(agent.callTool({ name: 'double', arguments: { n: 1 } })).rejects.toThrow(
    `the daemon (process ${pid}) that uses`,
  );
  stop.abort();
  await expect(slow).rejects.toThrow();
});

test('a command with another secret or configuration file replaces an idle daemon; a busy one is used with a note, or refused', async () => {
  const { file, strict, dataDir, daemon } = await strictWorld({ secrets: { token: { env: 'TOKEN' } } });
  const list = async (config: string, TOKEN: string) => {
    const words = ['skills', 'list', '--json', '--config', config];
    const { code, stdout, stderr } = await ambit(words, { env: { ...longIdle, TOKEN } });
    const ids = code === 0 && JSON.parse(stdout).skills.map(({ id }: { id: string }) => id);
    return { ids, stderr, pid: (await daemon()).pid };
  };
  const first = await list(file, 'one');
  expect(await list(file, 'one')).toEqual(first);
  const second = await list(file, 'two');
  expect(second).toEqual({ ...first, pid: expect.not.toBeOneOf([first.pid]) });
  const third = await list(strict, 'two');
  expect(third).toEqual({ ids: [], stderr: '', pid: expect.not.toBeOneOf([second.pid]) });

  const client = await stdioClient(file, 'modern', { env: { ...longIdle, TOKEN: 'two' } });
  const begun = Promise.withResolvers<void>();
  const stop = new AbortController();
  const slow = client.callTool(
    { name: 'slow', arguments: { input: 1 } },
    { onprogress: () => begun.resolve(), signal: stop.signal },
  );
  await begun.promise;
  const { pid } = await daemon();
  const untilIdle = 'To replace it now, run: ambit stop. When it is idle, the next command starts one';
  expect(await list(file, 'three')).toEqual({
    ids: ['double', 'slow'],
    stderr: `ambit: the daemon (process ${pid}) was started with another TOKEN. ${untilIdle} with this one\n`,
    pid,
  });
  expect(await list(strict, 'two')).toEqual({
    ids: false,
    stderr: expect.stringContaining(
      `"DATA_DIR_TAKEN","message":"the daemon (process ${pid}) that uses ${dataDir} has ${file}, and this command ${strict}. To end it, run: ambit stop. To use both, name another directory with --data-dir"`,
    ),
    pid,
  });
  stop.abort();
  await expect(slow).rejects.toThrow();
});
