import { expect, test, vi } from 'vitest';
import { pythonSkill, writeSkills } from '../support/skills.ts';
import { type Daemon, startDaemon, temporaryFolder } from './support/daemon.ts';

/** A daemon in which a call of the skill `sleeper` runs, for as many seconds as it says. */
async function busy(seconds: number, drainMs: number) {
  const skills = await temporaryFolder();
  await writeSkills(skills, { sleeper: pythonSkill('time.sleep(given)\nprint(json.dumps("slept"))') });
  const daemon = await startDaemon({ skills: [{ path: skills, tier: 'local' }], shutdown: { drainMs } });
  const call = daemon.execute('sleeper', { input: seconds });
  await vi.waitUntil(async () => (await daemon.audit('?outcome=running')).length === 1);
  return { daemon, call };
}

async function draining(daemon: Daemon): Promise<void> {
  daemon.signal('SIGTERM');
  await vi.waitUntil(() => daemon.logged().includes('nothing new is taken'));
}

test('a stop takes nothing new, says so, and lets the call that runs come to its end', async () => {
  const { daemon, call } = await busy(2, 20_000);
  await draining(daemon);
  const refused = await fetch(`${daemon.url}/skills`, { headers: { authorization: `Bearer ${daemon.key}` } });
  const { headers, status } = refused;
  expect({ status, after: headers.get('retry-after'), connection: headers.get('connection') }).toEqual({
    status: 503,
    after: '5',
    connection: 'close',
  });
  expect(await refused.json()).toMatchObject({ code: 'SHUTTING_DOWN' });
  expect(await daemon.request('GET', '/readyz')).toMatchObject({
    ...{ status: 503, body: { status: 'unavailable', code: 'SHUTTING_DOWN' } },
  });
  expect(await daemon.request('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect((await call).body.outcome).toEqual({ status: 'succeeded', output: 'slept' });
  expect(await daemon.stop('SIGCONT')).toEqual({ code: 0, signal: null });
});

test('what runs for longer than it is let is canceled, answered and recorded', async () => {
  const { daemon, call } = await busy(600, 300);
  expect(await daemon.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  expect((await call).body.outcome).toEqual({ status: 'canceled', reason: 'the daemon stops' });
});

test('a second signal cancels at once', async () => {
  const { daemon, call } = await busy(600, 3_600_000);
  await draining(daemon);
  expect(await daemon.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  expect((await call).body.outcome).toEqual({ status: 'canceled', reason: 'the daemon stops' });
});
