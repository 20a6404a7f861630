import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { plainConfig } from '../../../../server/src/testing/plain-config.ts';
import { runAmbit } from '../../testing/run-ambit.ts';

/** Runs `ambit serve`, and sends these signals while the daemon starts and after it has printed. */
async function served(
  host: string,
  { starting, printed }: { starting?: NodeJS.Signals; printed?: NodeJS.Signals } = {},
) {
  const signals = new EventEmitter();
  const dataDir = join(await temporaryFolder(), 'data');
  const listen = { ...plainConfig.listen, host, port: 0 };
  let loaded = 0;
  const loadConfig = async () => {
    loaded += 1;
    return { ...plainConfig, dataDir, listen, logLevel: 'silent' as const };
  };
  // The command listens for signals, and then starts the daemon.
  signals.once('newListener', () =>
    setImmediate(() => {
      if (starting !== undefined) signals.emit(starting);
    }),
  );
  const onPrinted = (): void => {
    if (printed !== undefined) signals.emit(printed);
  };
  const ran = await runAmbit('serve --json', {
    signals,
    onPrinted,
    loadConfig,
    env: { PATH: '/usr/bin:/bin' },
  });
  return { ...ran, loaded };
}

test('a signal during the start ends it', async () => {
  expect(await served('127.0.0.1', { starting: 'SIGTERM' })).toMatchObject({
    exitCode: 0,
    loaded: 1,
    stderr: '',
  });
});

test('SIGHUP during the start reloads the configuration once the daemon has started', async () => {
  const { stdout, ...ran } = await served('127.0.0.1', { starting: 'SIGHUP', printed: 'SIGTERM' });
  expect(ran).toEqual({ exitCode: 0, loaded: 2, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ url: expect.stringMatching(/^http:/), skills: { total: 0 } });
});

test('an address that this machine does not have exits with 4 and what to do', async () => {
  expect(await served('192.0.2.1')).toEqual({
    exitCode: 4,
    loaded: 1,
    stdout: '',
    stderr:
      '{"error":{"code":"ADDRESS_UNAVAILABLE","message":"cannot listen on 192.0.2.1:0: this machine does not have the address. Choose another address with --host and --port","details":{}}}\n',
  });
});
