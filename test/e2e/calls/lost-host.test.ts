import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { until } from '../../support/until.ts';

let effects: string;

const daemon = sharedDaemon(async (skills) => {
  effects = join(skills, '../effects');
  await mkdir(effects);
  await chmod(effects, 0o777);
  const capabilities = { filesystem: { write: [effects] } };
  await writeSkills(skills, {
    effect: {
      'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'scripts/run.js', capabilities } }),
      'scripts/run.js': `import { context, writeFile } from 'ambit';
export default ({ name, spins }) => {
  writeFile('${effects}/' + name + '.' + context().executionId, '');
  while (spins);
  return name;
};\n`,
    },
  });
  return {
    skills: [{ path: skills, tier: 'local' }],
    grants: { effect: capabilities },
    limits: { wasmHosts: 1, concurrency: 4, concurrencyPerSkill: 4 },
  };
});

test.each<[string, (host: AbortController) => Promise<void>, string | undefined]>([
  ['is killed', () => killHosts(daemon().pid), 'failed'],
  ['is ended because its call is canceled', async (client) => client.abort(), undefined],
])(
  'a call that waits for a host that %s runs once, and the call in the host does not run again',
  async (title, end, outcome) => {
    const client = new AbortController();
    const [first, second] = [`first ${title}`, `second ${title}`];
    const spinning = execute(first, true, client.signal);
    await until(async () => (await runsOf(first)).length > 0);
    const waiting = execute(second, false);
    await until(async () => (await daemon().audit('?outcome=running')).length === 2);
    await end(client);
    expect(await waiting).toMatchObject({ status: 'succeeded', output: second });
    expect((await spinning)?.status).toBe(outcome);
    await until(async () => (await daemon().audit('?outcome=running')).length === 0);
    const [newest, oldest] = await daemon().audit();
    expect([oldest.outcome, newest.outcome]).toEqual([outcome ?? 'canceled', 'succeeded']);
    expect([await runsOf(first), await runsOf(second)]).toEqual([[oldest.executionId], [newest.executionId]]);
  },
);

/** The outcome, or a refusal; `undefined` for a client that has disconnected. */
async function execute(
  name: string,
  spins: boolean,
  signal?: AbortSignal,
): Promise<{ status: string } | undefined> {
  const sent = { body: { input: { name, spins } }, ...(signal && { signal }) };
  const answer = await daemon()
    .request('POST', '/skills/effect/execute', sent)
    .catch(() => undefined);
  return answer?.body.outcome ?? answer?.body;
}

/** The executions that left a file. */
async function runsOf(name: string): Promise<string[]> {
  const files = (await readdir(effects)).filter((file) => file.startsWith(`${name}.`));
  return files.map((file) => file.slice(name.length + 1));
}

/** Kills the host processes of a daemon. Finds all first: a new one starts as soon as one is lost. */
async function killHosts(pid: Daemon['pid']): Promise<void> {
  for (const host of await hostsBelow(pid)) process.kill(host, 'SIGKILL');
}

async function hostsBelow(pid: Daemon['pid']): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const found = children
    .split(' ')
    .filter(Boolean)
    .map(async (child) => {
      const line = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
      return /^\S*node\0.*main\.mjs\0/s.test(line) ? [Number(child)] : hostsBelow(Number(child));
    });
  return (await Promise.all(found)).flat();
}
