import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSkills } from '../support/skills.ts';
import { startDaemon, temporaryFolder } from './support/daemon.ts';

/** Its name is on the command line of the program that waits. */
async function daemonWithSkill(entry: string) {
  const folder = await temporaryFolder();
  await writeSkills(folder, {
    doubles: {
      'ambit.yaml': JSON.stringify({
        run: {
          runtime: 'process',
          entry: `scripts/${entry}`,
          capabilities: { exec: ['python3'] },
          prewarm: 1,
        },
      }),
      [`scripts/${entry}`]:
        '#!/usr/bin/env python3\nimport json, sys\nprint(json.dumps({"n": json.load(sys.stdin)["n"] * 2}))\n',
    },
  });
  return startDaemon({ skills: [{ path: folder, tier: 'local' }] });
}

test('a skill that asks for it is answered by a program that waited, and the record says so', async () => {
  const daemon = await daemonWithSkill('waits-to-answer.py');
  let sandbox = '';
  // One that comes before the first program waits has one started for it.
  for (let n = 0; sandbox !== 'bubblewrap, prewarmed'; n++) {
    const { body } = await daemon.execute('doubles', { input: { n } });
    expect(body.outcome).toEqual({ status: 'succeeded', output: { n: 2 * n } });
    const [record] = await daemon.audit(`?limit=1`);
    ({ sandbox } = record);
    expect(sandbox).toBeOneOf(['bubblewrap', 'bubblewrap, prewarmed']);
  }
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a daemon that ends by %s leaves nothing that waits',
  async (signal) => {
    const entry = `waits-for-${signal}.py`;
    const daemon = await daemonWithSkill(entry);
    while ((await running(entry)).length === 0) await daemon.request('GET', '/healthz');
    await daemon.stop(signal);
    while ((await running(entry)).length > 0) await new Promise(setImmediate);
    expect(await running(entry)).toEqual([]);
  },
);

/** The processes of the host whose command line names this. */
async function running(name: string): Promise<string[]> {
  const processes = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const lines = await Promise.all(
    processes.map((pid) => readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.includes(name));
}
