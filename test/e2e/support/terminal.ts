import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { userFolders } from '../../support/private-home.ts';

/** A command on its own terminal, in a process group that ends with the test. */
export function onTerminal(
  command: string,
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  const child = spawn('script', ['-qec', `stty cols 110; ${command}`, '/dev/null'], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: cwd,
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      NO_COLOR: '1',
      AMBIT_LOG_LEVEL: 'silent',
      ...userFolders(),
      ...variables,
    },
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'close');
    child.kill('SIGTERM');
    await gone;
  });
  return child;
}

/** Waits for the end of a command and returns its output. */
export async function untilOver(child: ChildProcess): Promise<string> {
  const printed = collected(child);
  await once(child, 'close');
  return printed();
}

/** Waits until a running command has printed a line that starts with `last`, and returns its output. */
export async function untilQuiet(child: ChildProcess, last: string): Promise<string> {
  const printed = collected(child);
  while (!printed().includes(`\n${last}`) || !printed().endsWith('\n')) {
    if (child.stdout === null) throw new Error('stdout is a pipe');
    const ended = once(child, 'close').then(() => Promise.reject(new Error(`it ended:\n${printed()}`)));
    await Promise.race([once(child.stdout, 'data'), ended]);
  }
  return printed();
}

/** Collects the visible output, without erased progress lines. */
function collected(child: ChildProcess): () => string {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return () => stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(/[^\n]*\r/g, '');
}
