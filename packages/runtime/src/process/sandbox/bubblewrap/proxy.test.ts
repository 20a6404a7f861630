// Threat model: T107

import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { isWhole } from '../../../../../../test/support/whole.ts';
import { unnamedFile } from '../../../spawn/unnamed-file.ts';
import { afterTurns, commandLinesWith } from '../../../testing/processes.ts';
import { proxyAccess } from '../../network-access.ts';
import { hostProgram } from '../../programs/host-program.ts';
import { runInSandbox } from '../run-in-sandbox.ts';
import type { SandboxedCommand, SandboxedRun } from '../sandbox.ts';
import { bubblewrapSandbox } from './bubblewrap-sandbox.ts';

const sandbox = bubblewrapSandbox();
afterAll(() => sandbox.close?.());

const certificates = unnamedFile(Buffer.from('the authorities'));
const limits = {
  memoryBytes: 512 * 1024 * 1024,
  cpuMs: 20_000,
  processes: 100,
  fileBytes: 1024 * 1024,
};
const forever = new AbortController().signal;

/** A program with its arguments, in a sandbox with a proxy. */
function commandOf(name: string, args: readonly string[], connectionsMax = 100): SandboxedCommand {
  const { path, mounts, links } = hostProgram(name);
  const network = proxyAccess({ certificates, connectionsMax, placeholders: {} });
  return { argv: [path, ...args], cwd: '/tmp', mounts, links, ...network };
}

async function run(
  command: SandboxedCommand,
  serve?: (connection: Socket) => void,
  signal = forever,
): Promise<{ end: SandboxedRun['end']; stdout: string; stderr: string }> {
  const given = { stdin: new Uint8Array(), timeoutMs: 20_000, outputBytes: 100_000, serve };
  const { end, stdout, stderr } = await runInSandbox(sandbox, { command, limits }, given, signal);
  return { end, stdout: Buffer.from(stdout).toString(), stderr: Buffer.from(stderr).toString() };
}

function python(script: string, connectionsMax?: number): SandboxedCommand {
  return commandOf('python3', ['-I', '-c', script], connectionsMax);
}

const exited = { status: 'exited', exitCode: 0 };

/** Sends a name over each connection and ends it. */
function sending(name: string): (connection: Socket) => void {
  return (connection) => void connection.end(name);
}

const connectAndRead = `
import socket
def read(connection):
    with connection: return b''.join(iter(lambda: connection.recv(100), b''))
`;

test('a sandbox without a proxy cannot reach the proxy of another sandbox', async () => {
  const script = `${connectAndRead}
try: print(read(socket.create_connection(('127.0.0.1', 3128))).decode())
except ConnectionRefusedError: print('refused')`;
  const { proxy: _, ...without } = python(script);
  const beside: Promise<unknown>[] = [];
  const first = await run(python(script), (connection) => {
    // While the first sandbox is connected.
    const other = run(without);
    beside.push(other);
    void other.then(() => connection.end('first'));
  });
  expect([first, ...(await Promise.all(beside))]).toEqual([
    { end: exited, stdout: 'first\n', stderr: '' },
    { end: exited, stdout: 'refused\n', stderr: '' },
  ]);
});

test('the program inherits neither the channel nor the listening socket', async () => {
  const script = `${connectAndRead}
import array, os
links = {name: os.readlink(f'/proc/self/fd/{name}') for name in os.listdir('/proc/self/fd') if os.path.lexists(f'/proc/self/fd/{name}')}
print(sorted(int(name) for name, link in links.items() if link.startswith('socket:')))
for name in range(3, 100):
    try: socket.socket(fileno=name).sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0]))])
    except OSError: continue
    print('sent over', name)
print(sorted(name for name in os.environ if name.startswith('NODE_CHANNEL')))
mine = socket.create_connection(('127.0.0.1', 3128))
print(read(mine).decode())`;
  expect(await run(python(script), sending('reached'))).toEqual({
    end: exited,
    stdout: '[0, 1, 2]\n[]\nreached\n',
    stderr: '',
  });
});

test('connections made before serve is called wait and are then served', async () => {
  const command = python(`${connectAndRead}
connections = [socket.create_connection(('127.0.0.1', 3128)) for _ in range(3)]
print('connected', flush=True)
print([read(connection).decode() for connection in connections])`);
  const program = await sandbox.start(command, limits);
  const [first, all] = [new Promise((resolve) => program.stdout.once('data', resolve)), text(program.stdout)];
  await program.release();
  await first;
  program.serve(sending('served'));
  expect({ stdout: await all, end: await program.ended }).toEqual({
    stdout: "connected\n['served', 'served', 'served']\n",
    end: exited,
  });
  await program.close();
});

test('of thousands of connections only the permitted number is open at a time, and the rest are closed', async () => {
  const script = `${connectAndRead}
kept = 0
for _ in range(${isWhole ? 100 : 20}):
    connections = [socket.create_connection(('127.0.0.1', 3128)) for _ in range(100)]
    for connection in connections:
        try: connection.sendall(b'x')
        except OSError: pass
    for connection in connections:
        try: kept += read(connection) == b'yes'
        except OSError: pass
print(kept > 0)`;
  let [open, maxOpen] = [0, 0];
  const got = await run(python(script, 20), (connection) => {
    maxOpen = Math.max(maxOpen, ++open);
    connection.once('close', () => open--);
    connection.once('data', () => connection.end('yes'));
  });
  expect({ got, maxOpen, open }).toEqual({
    got: { end: exited, stdout: 'True\n', stderr: '' },
    maxOpen: 20,
    open: 0,
  });
});

test('one side of a connection can end before the other', async () => {
  const script = `${connectAndRead}
connection = socket.create_connection(('127.0.0.1', 3128))
connection.sendall(b'question')
connection.shutdown(socket.SHUT_WR)
print(read(connection).decode())`;
  const got = await run(python(script), (connection) => {
    void text(connection).then((question) => connection.end(`to the ${question} an answer`));
  });
  expect(got).toEqual({ end: exited, stdout: 'to the question an answer\n', stderr: '' });
});

test('connections are closed when their program ends, even if the daemon would continue', async () => {
  const closed: Promise<unknown>[] = [];
  const controller = new AbortController();
  const script = `${connectAndRead}
connection = socket.create_connection(('127.0.0.1', 3128))
import time; time.sleep(600)`;
  const got = await run(
    python(script),
    (connection) => {
      closed.push(new Promise((resolve) => void connection.once('close', resolve)));
      controller.abort(new Error('stop'));
    },
    controller.signal,
  );
  await Promise.all(closed);
  expect([got.end, closed.length]).toEqual([{ status: 'canceled', reason: 'stop' }, 1]);
});

test('a run canceled at any moment of its start leaves no process and no listener', async () => {
  const ours = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  const before = ours();
  for (let turns = 0; turns < 60; turns += isWhole ? 1 : 6) {
    const controller = new AbortController();
    const mark = `600.${process.pid}${turns}`;
    const running = run(commandOf('sleep', [mark]), undefined, controller.signal);
    afterTurns(turns * 3, () => controller.abort(new Error('stop')));
    expect((await running).end).toEqual({ status: 'canceled', reason: 'stop' });
    expect(commandLinesWith(mark)).toEqual([]);
  }
  expect(ours()).toBe(before);
});

test('the certificate authorities are readable inside and cannot be changed', async () => {
  const script = `
import os
path = os.environ['SSL_CERT_FILE']
print(open(path).read())
for change in [lambda: open(path, 'w'), lambda: os.remove(path), lambda: os.chmod(path, 0o666), lambda: open('/ambit/x', 'w')]:
    try: change(); print('changed')
    except OSError as error: print(error.strerror)`;
  expect(await run(python(script))).toEqual({
    end: exited,
    stdout: `the authorities\n${'Read-only file system\n'.repeat(4)}`,
    stderr: '',
  });
});
