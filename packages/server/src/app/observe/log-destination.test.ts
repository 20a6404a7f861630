import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { logDestination } from './log-destination.ts';

test('writes lines in order, buffered or not', async () => {
  const { logger, written } = await opened();
  logger.info('a');
  logger.warn('b');
  logger.info('c');
  await vi.waitFor(() => expect(written()).toEqual(['a', 'b', 'c']));
});

test.each(['process.exit(3)', 'throw new Error("over")'])(
  'writes buffered lines when the process ends by %s',
  async (end) => {
    const program = `
      import { pino } from 'pino';
      import { logDestination } from './log-destination.ts';
      const logger = pino({}, logDestination(1));
      logger.info('a');
      logger.info('b');
      ${end};`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect(messages(printed)).toEqual(['a', 'b']);
  },
);

test('drops lines that cannot be written, and the program continues and exits', async () => {
  const program = `
    import { openSync } from 'node:fs';
    import { pino } from 'pino';
    import { logDestination } from './log-destination.ts';
    const logger = pino({}, logDestination(openSync('/dev/full', 'w')));
    logger.error('a');
    setTimeout(() => {
      logger.error('b');
      logger.info('c');
      process.exit(7);
    }, 50);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    stdio: 'ignore',
  });
  expect(await once(child, 'exit')).toEqual([7, null]);
});

async function opened() {
  const file = join(await temporaryFolder(), 'log');
  const descriptor = openSync(file, 'a');
  onTestFinished(() => closeSync(descriptor));
  return {
    logger: pino({}, logDestination(descriptor)),
    written: () => messages(readFileSync(file, 'utf8')),
  };
}

function messages(lines: string): string[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).msg);
}
