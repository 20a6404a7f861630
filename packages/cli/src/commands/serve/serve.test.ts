import { EventEmitter } from 'node:events';
import type { RunningDaemon } from '@ambit/server/app';
import { expect, test } from 'vitest';
import { runAmbit, skill } from '../../testing/run-ambit.ts';

const facts = {
  url: 'http://127.0.0.1:7433',
  skills: [skill('text-redact', { run: { runtime: 'wasm' } }), skill('code-review')],
  broken: [],
  sandboxes: { process: { works: true, name: 'bubblewrap' }, wasm: { works: true, name: 'node-permission' } },
  keyFile: '/work/.ambit/key',
  auditFile: '/work/.ambit/audit.db',
} satisfies Omit<RunningDaemon, 'close' | 'reload'>;

/** Runs `ambit serve`, and sends these signals before the daemon has started and after it has printed. */
async function served(
  line: string,
  { starting, printed }: { starting?: NodeJS.Signals; printed?: NodeJS.Signals },
) {
  const signals = new EventEmitter();
  let [reloaded, closed] = [0, 0];
  const daemon: RunningDaemon = {
    ...facts,
    reload: async () => {
      reloaded += 1;
      return { outcome: 'unchanged', changed: [], issues: [], policyDigest: 'sha256:p' };
    },
    close: async () => {
      closed += 1;
    },
  };
  const startDaemon = async (): Promise<RunningDaemon> => {
    if (starting !== undefined) signals.emit(starting);
    return daemon;
  };
  const onPrinted = (): void => {
    if (printed !== undefined) signals.emit(printed);
  };
  const ran = await runAmbit(line, { signals, onPrinted, actions: { startDaemon } });
  return { ...ran, reloaded, closed };
}

test('--json prints one document', async () => {
  const { stdout, ...rest } = await served('serve --json', { printed: 'SIGTERM' });
  expect(rest).toEqual({ exitCode: 0, reloaded: 0, closed: 1, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    ...facts,
    skills: { total: 2, executable: 1 },
    curl: expect.stringMatching(/^sed .* \| curl /),
  });
});

test('a signal during the start stops the daemon once it has started', async () => {
  expect(await served('serve', { starting: 'SIGTERM' })).toMatchObject({
    exitCode: 0,
    reloaded: 0,
    closed: 1,
  });
});

test('SIGHUP during the start reloads the configuration once the daemon has started', async () => {
  expect(await served('serve', { starting: 'SIGHUP', printed: 'SIGTERM' })).toMatchObject({
    exitCode: 0,
    reloaded: 1,
    closed: 1,
  });
});

test.each([
  ['EADDRNOTAVAIL', 'this machine does not have the address'],
  ['EACCES', 'this user may not use the port'],
  ['ENOTFOUND', 'the host is unknown'],
])('an unavailable address (%s) exits with 4 and what to do', async (code, problem) => {
  const startDaemon = () => Promise.reject(Object.assign(new Error('listen'), { code, syscall: 'listen' }));
  expect(await runAmbit('serve', { actions: { startDaemon } })).toEqual({
    exitCode: 4,
    stdout: '',
    stderr: `ambit: ADDRESS_UNAVAILABLE: cannot listen on 127.0.0.1:7433: ${problem}. Choose another address with --host and --port\n`,
  });
});
