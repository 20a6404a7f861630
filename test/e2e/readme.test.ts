import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, symlinkSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';
import { temporaryFolder } from './support/daemon.ts';
import { patternOf, readmeSession } from './support/readme-session.ts';
import { isInstalled } from './support/typed-shell.ts';

test.skipIf(!isInstalled('script') || !isInstalled('git'))(
  'the session in README.md runs as it is written, and shows what it says (needs script and git)',
  { timeout: 120_000 },
  async () => {
    const cwd = await checkout();
    const port = await freePort();
    const session = await readmeSession();
    expect(session.map(({ command }) => command)).toContain('npm start');
    // What is exported holds for the rest of a terminal.
    const exported: string[] = [];
    for (const { command, shows } of session) {
      if (command.startsWith('export ')) exported.push(command);
      const child = onTerminal([...exported, command].join('; '), cwd, port);
      const printed = await (command === 'npm start' ? untilQuiet(child, 'curl ') : untilOver(child));
      const said = printed.replaceAll(`:${port}`, ':7433');
      expect({ command, said }).toEqual({ command, said: expect.stringMatching(patternOf(shows)) });
    }
  },
);

/** What somebody has who has cloned the repository: the same files, elsewhere, with a history of one commit. */
async function checkout(): Promise<string> {
  const cwd = await temporaryFolder();
  // Skills run as another user where this is root.
  await chmod(cwd, 0o755);
  for (const name of readdirSync(repository))
    if (!['.git', '.ambit', 'ambit.config.yaml'].includes(name))
      symlinkSync(join(repository, name), join(cwd, name));
  const git =
    'git init -q . && git -c user.name=Ada -c user.email=ada@example.org commit -q --allow-empty -m First';
  await once(spawn('sh', ['-c', git], { cwd, stdio: 'ignore' }), 'close');
  return cwd;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A command on a terminal of its own, in a group that ends with the test. */
function onTerminal(command: string, cwd: string, port: number): ChildProcess {
  const child = spawn('script', ['-qec', `stty cols 110; ${command}`, '/dev/null'], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
    env: {
      ...{ PATH: process.env['PATH'] ?? '', HOME: cwd, SHELL: '/bin/sh', LANG: 'C.UTF-8', TERM: 'dumb' },
      ...{ NO_COLOR: '1', AMBIT_PORT: String(port), AMBIT_LOG_LEVEL: 'silent' },
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

async function untilOver(child: ChildProcess): Promise<string> {
  const printed = collected(child);
  await once(child, 'close');
  return printed();
}

/** For a command that goes on: until it has printed a line that begins so. */
async function untilQuiet(child: ChildProcess, last: string): Promise<string> {
  const printed = collected(child);
  while (!printed().includes(`\n${last}`) || !printed().endsWith('\n')) {
    if (child.stdout === null) throw new Error('stdout is a pipe');
    const ended = once(child, 'close').then(() => Promise.reject(new Error(`it ended:\n${printed()}`)));
    await Promise.race([once(child.stdout, 'data'), ended]);
  }
  return printed();
}

/** As a reader sees it in the end: a line of progress is gone by then. */
function collected(child: ChildProcess): () => string {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return () => stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(/[^\n]*\r/g, '');
}
