import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { until } from '../../support/until.ts';

/** The program of `edited`. */
const program = (edit: number): string => `export default () => ${edit};\n`;

let skills: string;

const daemon = sharedDaemon(async (folder) => {
  skills = folder;
  const sidecar = JSON.stringify({ run: { runtime: 'wasm', entry: 'a.js' } });
  await writeSkills(skills, {
    sleeper: pythonSkill('time.sleep(600)'),
    quick: pythonSkill('print(1)'),
    edited: { 'ambit.yaml': sidecar, 'a.js': program(0) },
  });
  return { skills: [{ path: skills, tier: 'local' }], limits: { concurrency: 2 } };
});

test('a call whose script is removed while it waits is SKILL_CHANGED with one record, and runs once the script is back', async () => {
  const client = new AbortController();
  const sleep = () =>
    daemon()
      .request('POST', '/skills/sleeper/execute', { body: { input: {} }, signal: client.signal })
      .catch((error: unknown) => error);
  const ahead = [sleep(), sleep()];
  await until(async () => (await daemon().audit('?skill=sleeper'))[1]);
  const waiting = daemon().execute('quick', { input: {} });
  await until(async () => (await daemon().audit('?skill=quick'))[0]);
  const script = join(skills, 'quick/scripts/run.py');
  await rename(script, `${script}.away`);
  client.abort();
  await Promise.all(ahead);
  const refused = await waiting;
  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: 'SKILL_CHANGED',
      detail: 'quick: entry scripts/run.py was removed since the skill was read; call again',
    },
  });
  expect(await daemon().audit('?skill=quick')).toMatchObject([
    { executionId: refused.body.executionId, outcome: 'denied', error: { code: 'SKILL_CHANGED' } },
  ]);
  await rename(`${script}.away`, script);
  expect(await daemon().execute('quick', { input: {} })).toMatchObject({
    status: 200,
    body: { outcome: { status: 'succeeded', output: 1 } },
  });
});

test('an edit takes effect at the next call, also while other clients call the same skill', async () => {
  const output = async (): Promise<unknown> => {
    const { body } = await daemon().execute('edited', { input: {} });
    return body.outcome?.output ?? body;
  };
  let isOver = false;
  const others = [1, 2, 3].map(async () => {
    while (!isOver) await output();
  });
  for (let edit = 0; edit < 20; edit++) {
    await writeFile(join(skills, 'edited/a.js'), program(edit));
    expect(await output()).toBe(edit);
    // Without an edit, calls share what the daemon has found.
    expect(await output()).toBe(edit);
  }
  isOver = true;
  await Promise.all(others);
});
