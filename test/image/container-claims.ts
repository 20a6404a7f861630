import { deepEqual } from 'node:assert/strict';
import { withinAMinute } from '../support/within-a-minute.ts';
import { image } from './build.ts';
import type { Ended } from './engine.ts';
import { options, type Setup, succeeded } from './setup.ts';

/** A container with a daemon, with the documented options. */
export async function checkContainer(setup: Setup): Promise<void> {
  const { engine, claim } = setup;
  const given = [...(await options(setup)), '--health-interval=1s', '-v', 'ambit-data:/var/lib/ambit'];
  const serve = async (name: string): Promise<void> => {
    const command = ['--name', name, ...given, image, 'serve', '--host', '0.0.0.0', '--allow-remote'];
    succeeded(await engine.run(['run', '--detach', ...command]));
    await withinAMinute(`${name} is healthy`, () => engine.healthy(name));
  };
  const inside = (name: string, ...command: string[]): Promise<Ended> =>
    engine.run(['exec', name, ...command]);
  const ambit = async (name: string, ...args: string[]): Promise<string> =>
    succeeded(await inside(name, 'ambit', ...args));

  await claim('a container with the documented options becomes healthy', () => serve('first'));
  await claim('the daemon is an ordinary user without capabilities or a way to gain any', async () => {
    const status = succeeded(await inside('first', 'cat', '/proc/1/status'));
    const fields = [...status.matchAll(/^(Uid|Gid|Cap\w+|NoNewPrivs|Seccomp):\s+(.*)$/gm)];
    const nothing = '0000000000000000';
    deepEqual(Object.fromEntries(fields.map(([, name, value]) => [name, value])), {
      Uid: '10001\t10001\t10001\t10001',
      Gid: '10001\t10001\t10001\t10001',
      CapInh: nothing,
      CapPrm: nothing,
      CapEff: nothing,
      CapBnd: nothing,
      CapAmb: nothing,
      NoNewPrivs: '1',
      Seccomp: '2',
    });
  });
  await claim('the root is read-only, the data is not', async () => {
    deepEqual((await inside('first', 'touch', '/opt/ambit/file')).code, 1);
    deepEqual((await inside('first', 'touch', '/var/lib/ambit/file')).code, 0);
  });
  await claim('doctor reports only what a container cannot have as limited', async () => {
    const { checks } = JSON.parse(await ambit('first', 'doctor', '--json'));
    const unusual = (checks as { name: string; status: string }[]).filter(({ status }) => status !== 'ok');
    deepEqual(
      unusual.map(({ name, status }) => `${name}: ${status}`),
      ['user: limited', 'limits: limited'],
    );
  });
  await claim('a shell, a Python and a WASM skill and Python in WebAssembly run in a sandbox', async () => {
    deepEqual(JSON.parse(await ambit('first', 'run', 'csv-profile', '--input', table)).rows, 1);
    deepEqual(JSON.parse(await ambit('first', 'run', 'text-redact', '--input', text)).text, redacted);
    deepEqual((await ambit('first', 'run', 'shell-echo', '--input', '{}')).trim(), '"ambit"');
    deepEqual((await ambit('first', 'run', 'python-add', '--input', '[1,2]')).trim(), '3');
    deepEqual(await records('first'), [
      ['python-add', 'bubblewrap', 'succeeded'],
      ['shell-echo', 'bubblewrap', 'succeeded'],
      ['text-redact', 'bubblewrap', 'succeeded'],
      ['csv-profile', 'bubblewrap', 'succeeded'],
    ]);
  });
  await claim('a skill that uses too much memory ends alone', async () => {
    const { code } = await inside('first', 'ambit', 'run', 'memory-hog', '--input', '{}');
    const next = await ambit('first', 'run', 'shell-echo', '--input', '{}');
    deepEqual({ failed: code !== 0, next }, { failed: true, next: '"ambit"\n' });
  });
  await claim('the memory and the processes of the container are limited', async () => {
    const script = `cd /sys/fs/cgroup; cat memory/memory.limit_in_bytes pids/pids.max 2>/dev/null || cat memory.max pids.max`;
    deepEqual(succeeded(await inside('first', 'sh', '-c', script)).split('\n'), [
      String(4 * 2 ** 30),
      '2048',
      '',
    ]);
  });
  await claim('a process whose parent has ended leaves no zombie', async () => {
    succeeded(await inside('first', 'sh', '-c', '(sleep 0.1 & sleep 0.1 &)'));
    const states = async (): Promise<string[]> => {
      const stats = succeeded(await inside('first', 'sh', '-c', 'cat /proc/[0-9]*/stat'));
      return [...stats.matchAll(/\((sleep)\)|\) (Z) /g)].map((match) => match[1] ?? match[2] ?? '');
    };
    await withinAMinute('the processes have ended', async () => (await states()).length === 0);
  });
  await claim('SIGTERM lets a running call end, and the container exits with 0', async () => {
    succeeded(
      await engine.run(['exec', '--detach', 'first', 'ambit', 'run', 'slow-sum', '--input', '[1,2]']),
    );
    await withinAMinute('the call runs', async () => (await records('first'))[0]?.[0] === 'slow-sum');
    succeeded(await engine.run(['stop', 'first']));
    const { stdout } = await engine.run(['inspect', '--format', '{{.State.ExitCode}}', 'first']);
    deepEqual(stdout.trim(), '0');
  });
  await claim('a new container on the same volume has the data, and the log is complete', async () => {
    await serve('second');
    deepEqual((await records('second'))[0], ['slow-sum', 'bubblewrap', 'succeeded']);
    await ambit('second', 'audit', 'verify');
    await ambit('second', 'run', 'csv-profile', '--input', table);
    succeeded(await engine.run(['rm', '--force', 'first', 'second']));
  });
  await claim('a daemon with TLS on another port becomes healthy too', async () => {
    const file = '/etc/ambit/tls/ambit.config.yaml';
    succeeded(
      await engine.run(['run', '--detach', '--name=tls', `--env=AMBIT_CONFIG=${file}`, ...given, image]),
    );
    await withinAMinute('it is healthy', () => engine.healthy('tls'));
    succeeded(await engine.run(['rm', '--force', 'tls']));
  });

  async function records(name: string): Promise<[string, string, string | null][]> {
    const { records: all } = JSON.parse(await ambit(name, 'audit', '--json'));
    return all.map(({ skill, sandbox, outcome }: never) => {
      const { id } = skill as { id: string };
      return [id, sandbox, outcome];
    });
  }
}

export const table = '{"csv":"a,b\\n1,2\\n"}';
export const text = '{"text":"ada@example.org"}';
export const redacted = '[redacted-email]';
