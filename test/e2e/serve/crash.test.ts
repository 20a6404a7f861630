// The tests start daemons of their own: the claims are about their ends.
// Threat model: T298

import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

test('after kill -9 during a call, the record is interrupted, no program of the call survives, and a new daemon serves', async () => {
  const skills = await temporaryFolder();
  const script = `scripts/sleeper-${randomUUID()}.py`;
  const program = `/usr/bin/python3\0/skill/${script}\0`;
  await writeSkills(skills, {
    sleeper: {
      'ambit.yaml': JSON.stringify({
        run: { runtime: 'process', entry: script, capabilities: { exec: ['python3'] } },
      }),
      [script]: 'import time\ntime.sleep(600)\n',
    },
  });
  const config = { skills: [{ path: skills, tier: 'local' }] };
  const first = await startDaemon(config);
  const call = first.execute('sleeper', { input: { word: 'abc' } }).catch((error: unknown) => error);
  const running = await until(async () => (await first.audit('?skill=sleeper'))[0]);
  expect(running).toMatchObject({
    outcome: 'running',
    endedAt: null,
    skill: { id: 'sleeper', tier: 'local' },
  });
  // Wait for the program itself, not only for bubblewrap.
  await until(async () => ((await commandLines()).includes(program) ? true : undefined));

  expect(await first.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await call).toBeInstanceOf(Error);
  await until(async () => ((await processesWith(script)).length === 0 ? true : undefined));

  const second = await startDaemon(config, { dataDir: first.dataDir });
  const [record] = await second.audit('?skill=sleeper');
  expect(record).toEqual({ ...running, outcome: 'interrupted', endedAt: expect.any(String) });
  expect(await second.execute('csv-profile', { input: { csv: 'a\n1\n' } })).toMatchObject({
    status: 200,
    body: { outcome: { status: 'succeeded' } },
  });
});

test('shutdown cancels and records running calls, also those whose clients have just disconnected, and exits with 0', async () => {
  const skills = await temporaryFolder();
  await writeSkills(skills, { sleeper: pythonSkill('time.sleep(600)') });
  const config = { skills: [{ path: skills, tier: 'local' }] };
  const first = await startDaemon(config);
  const clients = Array.from({ length: 6 }, () => new AbortController());
  const calls = [undefined, ...clients].map((client) =>
    first
      .request('POST', '/skills/sleeper/execute', {
        body: { input: {} },
        ...(client !== undefined && { signal: client.signal }),
      })
      .catch((error: unknown) => error),
  );
  await until(async () => ((await first.audit('?outcome=running')).length === 7 ? true : undefined));
  for (const client of clients) client.abort();
  expect(await first.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  await Promise.all(calls);
  const second = await startDaemon(config, { dataDir: first.dataDir });
  const outcomes = (await second.audit('?skill=sleeper')).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(Array(7).fill('canceled'));
});

test('a call beyond the queue is OVERLOADED and recorded, and runs once a client that disconnects has canceled its call', async () => {
  const skills = await temporaryFolder();
  await writeSkills(skills, {
    sleeper: pythonSkill('time.sleep(600)'),
    quick: pythonSkill('print(1)'),
  });
  const daemon = await startDaemon({
    skills: [{ path: skills, tier: 'local' }],
    limits: { concurrency: 1, queue: 0 },
  });
  const client = new AbortController();
  const slow = daemon
    .request('POST', '/skills/sleeper/execute', { body: { input: {} }, signal: client.signal })
    .catch((error: unknown) => error);
  await until(async () => ((await processesWith(skills)).length > 0 ? true : undefined));
  const refused = await daemon.execute('quick', { input: {} });
  expect(refused).toMatchObject({ status: 503, body: { code: 'OVERLOADED' } });
  expect((await daemon.audit('?skill=quick'))[0]).toMatchObject({
    executionId: refused.body.executionId,
    outcome: 'denied',
    error: { code: 'OVERLOADED' },
  });
  client.abort();
  await slow;
  await until(async () => (await daemon.audit('?skill=sleeper&outcome=canceled'))[0]);
  expect(await daemon.execute('quick', { input: {} })).toMatchObject({
    status: 200,
    body: { outcome: { status: 'succeeded', output: 1 } },
  });
});

/** The command lines of host processes that contain `text`. */
async function processesWith(text: string): Promise<string[]> {
  return (await commandLines()).filter((line) => line.includes(text));
}

async function commandLines(): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
}
