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

test.each<[string, (hosts: readonly number[], client: AbortController) => void, string | undefined]>([
  ['is killed', (hosts) => killAll(hosts), 'failed'],
  ['is ended because its call is canceled', (_, client) => client.abort(), undefined],
])(
  'a call that waits for a host that %s runs once, and the call in the host does not run again',
  async (title, end, outcome) => {
    const client = new AbortController();
    const [first, second] = [`first ${title}`, `second ${title}`];
    const spinning = execute(first, true, client.signal);
    const spun = await until(async () => (await runsOf(first))[0]);
    // Before the second call: if that waits for long, a host of its own starts, whose loss would refuse it.
    const hosts = await hostsBelow(daemon().pid);
    const waiting = execute(second, false);
    await until(async () => (await daemon().audit('?limit=1'))[0].executionId !== spun);
    end(hosts, client);
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

function killAll(hosts: readonly number[]): void {
  for (const host of hosts) process.kill(host, 'SIGKILL');
}

/** The host processes of a daemon. */
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
