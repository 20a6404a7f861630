// Threat model: T293, T295

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type Daemon, startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit, trust } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { sqlite } from '../../support/sqlite.ts';

const granted = { grants: { reader: { env: ['NO_COLOR'] } } };

/** A skill that needs a grant, and a skill that needs none and runs for a given time. */
async function configuration(): Promise<{ skills: object[] }> {
  const skills = await temporaryFolder();
  await writeSkills(skills, {
    reader: pythonSkill('print(json.dumps("NO_COLOR" in os.environ))', {
      capabilities: { exec: ['python3'], env: ['NO_COLOR'] },
    }),
    sleeper: pythonSkill('time.sleep(given)\nprint(1)'),
  });
  return { skills: [{ path: skills, tier: 'local' }] };
}

test('an added grant applies after a reload, which names the changes and is recorded', async () => {
  const config = await configuration();
  const daemon = await startDaemon(config);
  expect((await daemon.execute('reader', { input: 1 })).body.code).toBe('CAPABILITY_DENIED');
  await daemon.configure({ ...config, ...granted });
  expect((await daemon.execute('reader', { input: 1 })).body.code).toBe('CAPABILITY_DENIED');
  expect(await reload(daemon)).toEqual({
    code: 0,
    stdout: 'Reloaded. Changed:\n  grants.reader\n',
    stderr: '',
  });
  expect((await daemon.execute('reader', { input: 1 })).body.outcome).toEqual({
    status: 'succeeded',
    output: true,
  });
  const events = await exported(daemon);
  const [reloaded, changed] = [
    events.find(({ kind }) => kind === 'config.reloaded'),
    events.filter(({ kind }) => kind === 'policy.changed'),
  ];
  expect(reloaded).toMatchObject({ changed: ['grants.reader'], policyDigest: changed[1].to });
  expect(changed).toHaveLength(2);
  expect(await reload(daemon)).toMatchObject({
    code: 0,
    stdout: 'No changes.\n',
  });
});

test('the daemon logs skills that the configuration names and that do not exist', async () => {
  const config = await configuration();
  const daemon = await startDaemon({ ...config, grants: { raeder: { env: ['NO_COLOR'] } } });
  expect(daemon.logged()).toContain('grants: the skill \\"raeder\\" does not exist; did you mean reader?');
  await daemon.configure({ ...config, agents: { dev: { skills: ['nosuch'] } } });
  const warning = 'agents.dev.skills: the skill "nosuch" does not exist';
  expect(await reload(daemon)).toMatchObject({ code: 0, stderr: `warning: ${warning}\n` });
  expect(daemon.logged()).toContain(JSON.stringify(warning));
});

test('an invalid configuration changes nothing and is reported everywhere until a valid one is loaded', async () => {
  const config = { ...(await configuration()), ...granted };
  const daemon = await startDaemon(config);
  await daemon.configure({ ...config, grants: { reader: { envv: ['NO_COLOR'] } } });
  daemon.signal('SIGHUP');
  await vi.waitUntil(() => daemon.logged().includes('cannot be used'));
  const readiness = async () => (await daemon.request('GET', '/readyz')).body;
  await vi.waitUntil(async () => (await readiness()).configuration === 'refused');
  expect((await daemon.execute('reader', { input: 1 })).body.outcome.status).toBe('succeeded');
  expect(await exported(daemon)).toContainEqual(
    expect.objectContaining({ kind: 'config.refused', message: expect.stringContaining('envv') }),
  );
  // The command itself reads the configuration first.
  expect(await reload(daemon)).toMatchObject({ code: 2, stderr: expect.stringContaining('envv') });
  await daemon.configure(config);
  expect(await reload(daemon)).toMatchObject({ code: 0 });
  expect(await readiness()).toMatchObject({ status: 'ready', configuration: 'current' });
});

test('a key that needs a restart is named, and nothing is applied', async () => {
  const config = await configuration();
  const daemon = await startDaemon(config);
  await daemon.configure({ ...config, ...granted, bodyLimitBytes: 1000 });
  const { code, stderr } = await reload(daemon);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `ambit: CONFIG_INVALID: the configuration cannot be used:
  bodyLimitBytes: a change needs a restart, so nothing was applied; restart the daemon, or revert bodyLimitBytes and reload again
  the daemon continues with its current configuration
`,
  });
  expect((await daemon.execute('reader', { input: 1 })).body.code).toBe('CAPABILITY_DENIED');
  expect((await ambit(['doctor', ...where(daemon)])).stdout).toContain(
    'bodyLimitBytes: a change needs a restart',
  );
});

test('workspaces survive a reload, and new ones have the new limits', async () => {
  const config = { ...(await configuration()), workspaces: { quotaBytes: 1000 } };
  const daemon = await startDaemon(config);
  const { body: kept } = await daemon.request('POST', '/workspaces', { body: {} });
  await daemon.configure({ ...config, workspaces: { quotaBytes: 10, maxPerKey: 2 } });
  expect(await reload(daemon)).toMatchObject({
    code: 0,
    stdout: 'Reloaded. Changed:\n  workspaces.maxPerKey\n  workspaces.quotaBytes\n',
  });
  const make = async () => daemon.request('POST', '/workspaces', { body: {} });
  const { body: made } = await make();
  expect([kept.quotaBytes, made.quotaBytes, (await make()).body.code]).toEqual([1000, 10, 'WORKSPACE_LIMIT']);
  const { body } = await daemon.request('GET', '/workspaces');
  expect(body.workspaces).toEqual([
    expect.objectContaining({ id: kept.id, quotaBytes: 1000 }),
    expect.anything(),
  ]);
});

test('a file created after the start is applied, and a removed file stays in force', async () => {
  const config = { ...(await configuration()), ...granted };
  const daemon = await startDaemon({}, { unconfigured: true });
  const folder = join(daemon.dataDir, '..');
  await daemon.configure(config);
  await trust(folder);
  expect(await reload(daemon)).toEqual({
    code: 0,
    stdout:
      'Reloaded. Changed:\n  configuration file (new)\n  grants.reader\n  lockFile\n  shutdown.drainMs\n  skills\n',
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
  const config = { ...(await configuration()), watchConfig: true };
  const daemon = await startDaemon(config);
  await daemon.configure({ ...config, ...granted });
  await vi.waitUntil(
    async () => (await daemon.execute('reader', { input: 1 })).body.outcome?.status === 'succeeded',
    { interval: 200 },
  );
});

test('reloads under load fail no call, and each call runs under one of the two policies', async () => {
  const config = { ...(await configuration()), limits: { timeoutMs: 30_000 } };
  const other = { ...config, limits: { timeoutMs: 29_000, wasmHosts: 2 } };
  const daemon = await startDaemon(config);
  const outcomes: unknown[] = [];
  let over = false;
  const caller = async (skill: string, input: unknown): Promise<void> => {
    while (!over) {
      const { body } = await daemon.execute(skill, { input });
      outcomes.push(body.outcome?.status ?? body.code);
    }
  };
  const callers = [0, 1, 2].flatMap(() => [
    caller('csv-profile', { csv: 'a,b\n1,2\n' }),
    caller('sleeper', 0.01),
  ]);
  const digests = new Set<string>();
  for (let round = 0; round < 6; round++) {
    await daemon.configure(round % 2 === 0 ? other : config);
    // Three simultaneous requests cause one or two reloads.
    for (let count = 0; count < 3; count++) daemon.signal('SIGHUP');
    const said = JSON.parse((await ambit(['config', 'reload', '--json', ...where(daemon)])).stdout);
    digests.add(said.policyDigest);
  }
  over = true;
  await Promise.all(callers);
  expect([...new Set(outcomes)]).toEqual(['succeeded']);
  expect(digests.size).toBe(2);
  const calls = (await exported(daemon)).filter(({ kind }) => kind === 'call.started');
  expect(calls.length).toBe(outcomes.length);
  expect(calls.filter(({ policyDigest }) => !digests.has(policyDigest))).toEqual([]);
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
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
