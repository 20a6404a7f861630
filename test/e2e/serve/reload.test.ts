// Threat model: T293, T295

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon, trust } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { sqlite } from '../../support/sqlite.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const reader = { env: ['NO_COLOR'] };

/** A skill that needs a grant, and a skill that needs none and runs for a given time. */
async function configuration(folder: string): Promise<{ skills: object[] }> {
  await writeSkills(folder, {
    reader: pythonSkill('print(json.dumps("NO_COLOR" in os.environ))', {
      capabilities: { exec: ['python3'], env: ['NO_COLOR'] },
    }),
    sleeper: pythonSkill('time.sleep(given)\nprint(1)'),
  });
  return { skills: [{ path: folder, tier: 'local' }] };
}

/** The configuration of the shared daemon. It grants a skill that does not exist. Each test ends with it in force again. */
let config: object;
const limits = { timeoutMs: 30_000 };
const shared = sharedDaemon(async (skills) => {
  config = {
    ...(await configuration(skills)),
    grants: { raeder: reader },
    workspaces: { quotaBytes: 1000 },
    limits,
  };
  return config;
});

/** Reloads with these changes of the configuration. */
async function reloadWith(changes: object): ReturnType<typeof ambit> {
  await shared().configure({ ...config, ...changes });
  return reload(shared());
}

const granted = { grants: { raeder: reader, reader } };
const run = async () => (await shared().execute('reader', { input: 1 })).body;
const readiness = async () => (await shared().request('GET', '/readyz')).body;

test('a grant applies from the reload that adds it, which is recorded, to the reload that removes it', async () => {
  expect((await run()).code).toBe('CAPABILITY_DENIED');
  await shared().configure({ ...config, ...granted });
  expect((await run()).code).toBe('CAPABILITY_DENIED');
  expect(await reload(shared())).toEqual({
    code: 0,
    stdout: 'Reloaded. Changed:\n  grants.reader\n',
    stderr: expect.stringContaining('raeder'),
  });
  expect((await run()).outcome).toEqual({ status: 'succeeded', output: true });
  const events = await exported(shared());
  const [reloaded, changed] = [
    events.find(({ kind }) => kind === 'config.reloaded'),
    events.filter(({ kind }) => kind === 'policy.changed'),
  ];
  expect(reloaded).toMatchObject({ changed: ['grants.reader'], policyDigest: changed[1].to });
  expect(changed).toHaveLength(2);
  expect(await reload(shared())).toMatchObject({ code: 0, stdout: 'No changes.\n' });
  await reloadWith({});
  expect((await run()).code).toBe('CAPABILITY_DENIED');
});

test('the daemon logs skills that the configuration names and that do not exist', async () => {
  const missing = 'grants: the skill "raeder" does not exist; did you mean reader?';
  expect(shared().logged()).toContain(JSON.stringify(missing).slice(1, -1));
  const warning = 'agents.dev.skills: the skill "nosuch" does not exist';
  expect(await reloadWith({ agents: { dev: { skills: ['nosuch'] } } })).toMatchObject({
    code: 0,
    stderr: `warning: ${missing}\nwarning: ${warning}\n`,
  });
  expect(shared().logged()).toContain(JSON.stringify(warning));
  await reloadWith({});
});

test('an invalid configuration changes nothing and is reported everywhere until a valid one is loaded', async () => {
  await reloadWith(granted);
  await shared().configure({ ...config, grants: { reader: { envv: ['NO_COLOR'] } } });
  shared().signal('SIGHUP');
  await vi.waitUntil(() => shared().logged().includes('cannot be used'));
  await vi.waitUntil(async () => (await readiness()).configuration === 'refused');
  expect((await run()).outcome.status).toBe('succeeded');
  expect(await exported(shared())).toContainEqual(
    expect.objectContaining({ kind: 'config.refused', message: expect.stringContaining('envv') }),
  );
  // The command itself reads the configuration first.
  expect(await reload(shared())).toMatchObject({ code: 2, stderr: expect.stringContaining('envv') });
  expect(await reloadWith({})).toMatchObject({ code: 0 });
  expect(await readiness()).toMatchObject({ status: 'ready', configuration: 'current' });
});

test('a key that needs a restart is named, and nothing is applied', async () => {
  const { code, stderr } = await reloadWith({ ...granted, bodyLimitBytes: 1000 });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `ambit: CONFIG_INVALID: the configuration cannot be used:
  bodyLimitBytes: a change needs a restart, so nothing was applied; restart the daemon, or revert bodyLimitBytes and reload again
  the daemon continues with its current configuration
`,
  });
  expect((await run()).code).toBe('CAPABILITY_DENIED');
  expect((await ambit(['doctor', ...where(shared())])).stdout).toContain(
    'bodyLimitBytes: a change needs a restart',
  );
  await reloadWith({});
});

test('workspaces survive a reload, and new ones have the new limits', async () => {
  const make = async () => (await shared().request('POST', '/workspaces', { body: {} })).body;
  const kept = await make();
  expect(await reloadWith({ workspaces: { quotaBytes: 10, maxPerKey: 2 } })).toMatchObject({
    code: 0,
    stdout: 'Reloaded. Changed:\n  workspaces.maxPerKey\n  workspaces.quotaBytes\n',
  });
  expect([kept.quotaBytes, (await make()).quotaBytes, (await make()).code]).toEqual([
    ...[1000, 10, 'WORKSPACE_LIMIT'],
  ]);
  const { body } = await shared().request('GET', '/workspaces');
  expect(body.workspaces).toEqual([
    expect.objectContaining({ id: kept.id, quotaBytes: 1000 }),
    expect.anything(),
  ]);
  await reloadWith({});
});

test('reloads under load fail no call, and each call runs under one of the two policies', async () => {
  const other = { ...config, limits: { timeoutMs: 29_000, wasmHosts: 2 } };
  const outcomes: unknown[] = [];
  let over = false;
  const caller = async (skill: string, input: unknown): Promise<void> => {
    while (!over) {
      const { body } = await shared().execute(skill, { input });
      outcomes.push(body.outcome?.status ?? body.code);
    }
  };
  const csv = { csv: 'a,b\n1,2\n' };
  const callers = [caller('csv-profile', csv), caller('csv-profile', csv), caller('sleeper', 0.01)];
  const inForce = async (): Promise<string> =>
    (await exported(shared())).findLast(({ kind }) => kind === 'config.reloaded').policyDigest;
  const digests = new Set([await inForce()]);
  for (let round = 0; round < 6; round++) {
    const [before, answered] = [await inForce(), outcomes.length];
    await shared().configure(round % 2 === 0 ? other : config);
    // Three simultaneous requests cause one or two reloads.
    for (let count = 0; count < 3; count++) shared().signal('SIGHUP');
    await vi.waitUntil(
      async () => (await inForce()) !== before && outcomes.length > answered + callers.length,
    );
    digests.add(await inForce());
  }
  over = true;
  await Promise.all(callers);
  expect([...new Set(outcomes)]).toEqual(['succeeded']);
  expect(digests.size).toBe(2);
  const calls = (await exported(shared())).filter(
    ({ kind, skill }) => kind === 'call.started' && skill.id !== 'reader',
  );
  expect(calls.length).toBe(outcomes.length);
  expect(calls.filter(({ policyDigest }) => !digests.has(policyDigest))).toEqual([]);
  expect(await shared().stop()).toEqual({ code: 0, signal: null });
});

test('a file created after the start is applied, and a removed file stays in force', async () => {
  const config = { ...(await configuration(await temporaryFolder())), grants: { reader } };
  const daemon = await startDaemon({}, { unconfigured: true });
  const folder = join(daemon.dataDir, '..');
  await daemon.configure(config);
  await trust(folder);
  expect(await reload(daemon)).toEqual({
    code: 0,
    stdout: 'Reloaded. Changed:\n  configuration file (new)\n  grants.reader\n  shutdown.drainMs\n  skills\n',
    stderr: '',
  });
  const succeeded = { body: { outcome: { status: 'succeeded' } } };
  expect(await daemon.execute('reader', { input: 1 })).toMatchObject(succeeded);
  await rm(join(folder, 'ambit.config.yaml'));
  const readiness = async () => (await daemon.request('GET', '/readyz')).body.configuration;
  expect(await ambit(['config', 'reload', '--data-dir', daemon.dataDir], { cwd: folder })).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /ambit\.config\.yaml no longer exists; .*\n {2}the daemon continues with its current configuration\n$/,
    ),
  });
  expect(await readiness()).toBe('refused');
  expect(await daemon.execute('reader', { input: 1 })).toMatchObject(succeeded);
  await daemon.configure(config);
  expect(await reload(daemon)).toMatchObject({
    code: 0,
    stdout: 'No changes.\n',
  });
  expect(await readiness()).toBe('current');
});

test('a watched file is reloaded automatically', async () => {
  const config = { ...(await configuration(await temporaryFolder())), watchConfig: true };
  const daemon = await startDaemon(config);
  await daemon.configure({ ...config, grants: { reader } });
  await vi.waitUntil(
    async () => (await daemon.execute('reader', { input: 1 })).body.outcome?.status === 'succeeded',
    { interval: 200 },
  );
});

test('a reload without a daemon is refused', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'ambit.config.yaml'), '{}');
  await trust(folder);
  const { code, stderr } = await ambit(['config', 'reload'], { cwd: folder });
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: expect.stringContaining('DAEMON_UNREACHABLE: no daemon is listening for'),
  });
});

function where({ dataDir }: Daemon): string[] {
  return ['--config', join(dataDir, '../ambit.config.yaml')];
}

function reload(daemon: Daemon) {
  return ambit(['config', 'reload', ...where(daemon)]);
}

/** Every event of the log. */
// biome-ignore lint/suspicious/noExplicitAny: received JSON, which the tests compare
async function exported({ dataDir }: Daemon): Promise<any[]> {
  const body = sqlite(join(dataDir, 'audit.db'), 'SELECT json_group_array(json(body)) FROM log');
  return JSON.parse(body);
}
