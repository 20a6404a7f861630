import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startDaemon } from '../../../test/support/daemon.ts';

const program = join(import.meta.dirname, 'main.ts');

test('the program asks a model, calls the daemon, and prints an answer for each line of input', async () => {
  const daemon = await startDaemon();
  const model = await localModel([
    { tool_calls: [call('csv-profile', { csv: 'a,b\n1,2\n' })] },
    { content: 'It has \u001b[31mone row.' },
    { content: 'You are welcome.' },
  ]);
  const result = await bot(['--url', daemon.url, '--key-file', join(daemon.dataDir, 'key')], {
    environment: { OPENAI_BASE_URL: model.url, MODEL: 'small' },
    stdin: 'What is in this table?\n\nThank you.\n',
  });
  expect(result).toEqual({
    code: 0,
    stdout: 'It has \uFFFD[31mone row.\n\nYou are welcome.\n\n',
    stderr: '· csv-profile {"csv":"a,b\\n1,2\\n"}\n',
  });
  expect(model.asked.map(({ model: name, messages }) => [name, messages.map(({ role }) => role)])).toEqual([
    ['small', ['system', 'user']],
    ['small', ['system', 'user', 'assistant', 'tool']],
    ['small', ['system', 'user', 'assistant', 'tool', 'assistant', 'user']],
  ]);
  expect(await daemon.audit()).toMatchObject([{ skill: { id: 'csv-profile' }, outcome: 'succeeded' }]);
});

test('--explain prints the prompt and needs neither model nor daemon, and an unknown requested skill is a warning', async () => {
  const { code, stdout, stderr } = await bot(['--explain', '--phase', 'critique', '--use', 'csv-profil']);
  expect({ code, lines: stderr.trim().split('\n') }).toEqual({
    code: 0,
    lines: [expect.stringMatching(/^! .*csv-profil/)],
  });
  expect(stdout).toContain('code-review');
});

test.each([
  [['hello'], /^no model: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or OPENAI_BASE_URL and MODEL .*\n$/],
  [['--skill', 'x'], /^Unknown option '--skill'.*\nusage: npm run bot /],
])('the program exits with instructions for the invalid arguments %j', async (args, message) => {
  const { code, stdout, stderr } = await bot(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(message);
});

test('without a daemon, the program exits with instructions', async () => {
  const environment = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', MODEL: 'small' };
  expect(await bot(['hello'], { environment: { ...environment, AMBIT_DATA_DIR: '/nowhere' } })).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'no daemon is running for the data directory /nowhere: start one with "ambit serve --data-dir /nowhere", or set url (AMBIT_URL)\n',
  });
});

interface Asked {
  model: string;
  messages: { role: string }[];
}

/** A local model that answers with these messages, in turn, and records its requests. */
async function localModel(answers: object[]) {
  const asked: Asked[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    asked.push(JSON.parse(await text(request)) as Asked);
    const message = { role: 'assistant', content: null, ...answers[asked.length - 1] };
    const choice = { index: 0, message, finish_reason: 'tool_calls' in message ? 'tool_calls' : 'stop' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: '1', created: 0, model: 'small', choices: [choice] }));
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

function call(name: string, input: object): object {
  return { id: 'call-1', type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

/** Runs the program until it ends, without environment variables that select a model. */
async function bot(
  args: string[],
  { environment = {}, stdin = '' }: { environment?: Record<string, string>; stdin?: string } = {},
) {
  const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...environment };
  const child = spawn(process.execPath, [program, ...args], { cwd: tmpdir(), env, stdio: 'pipe' });
  child.stdin.on('error', () => undefined).end(stdin);
  const ended = once(child, 'close');
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
