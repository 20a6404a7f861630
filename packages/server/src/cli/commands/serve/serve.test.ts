import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { runAmbit, skill } from '../../../testing/run-ambit.ts';
import type { RunningDaemon } from '../../ports/actions.ts';

const facts = {
  url: 'http://127.0.0.1:7433',
  skills: [skill('text-redact', { run: { runtime: 'wasm' } }), skill('code-review')],
  broken: [],
  sandboxes: { process: { works: true, name: 'bubblewrap' }, wasm: { works: true, name: 'node-permission' } },
  keyFile: '/work/.ambit/key',
  auditFile: '/work/.ambit/audit.db',
} satisfies Omit<RunningDaemon, 'close' | 'reload'>;

const reload: RunningDaemon['reload'] = async () => ({
  ...{ outcome: 'unchanged', changed: [], issues: [], policyDigest: 'sha256:p' },
});

/** Runs `ambit serve`, and sends `signal` after it has printed. */
async function served(line: string, signal: 'SIGINT' | 'SIGTERM') {
  const signals = new EventEmitter();
  let closed = 0;
  const daemon = {
    ...facts,
    reload,
    close: async () => {
      closed += 1;
    },
  };
  const ran = await runAmbit(line, {
    signals,
    onPrinted: () => signals.emit(signal),
    actions: { startDaemon: async () => daemon },
  });
  return { ...ran, closed };
}

test('--json prints one document', async () => {
  const { stdout, ...rest } = await served('serve --json', 'SIGTERM');
  expect(rest).toEqual({ exitCode: 0, closed: 1, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    ...facts,
    skills: { total: 2, executable: 1 },
    curl: expect.stringMatching(/^sed .* \| curl /),
  });
});

test('a signal during the start stops the daemon once it has started', async () => {
  const signals = new EventEmitter();
  let closed = 0;
  const startDaemon = async (): Promise<RunningDaemon> => {
    signals.emit('SIGTERM');
    return {
      ...facts,
      reload,
      close: async () => {
        closed += 1;
      },
    };
  };
  expect(await runAmbit('serve', { signals, actions: { startDaemon } })).toMatchObject({ exitCode: 0 });
  expect(closed).toBe(1);
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
