// Threat model: T115

import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { bubblewrapSandbox } from '@ambit/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { runScanner, type Scanner } from './run-scanner.ts';

/** A skill, a data directory, and what a scanner that is a Python program prints about them. */
async function project() {
  const folder = await temporaryFolder();
  const [root, dataDir] = [join(folder, 'skill'), join(folder, 'data')];
  for (const each of [root, dataDir]) await mkdir(each);
  await chmod(folder, 0o755);
  await writeFile(join(root, 'SKILL.md'), '# A skill\n');
  await writeFile(join(root, '.env'), 'hidden\n');
  await writeFile(join(dataDir, 'key'), 'private\n');
  const sandbox = bubblewrapSandbox();
  onTestFinished(() => sandbox.close?.());
  return {
    ...{ folder, root, dataDir },
    scan: (program: string, settings: Partial<Scanner> = {}, signal = new AbortController().signal) =>
      runScanner(
        {
          ...{
            name: 'own',
            command: ['python3', '-c', program],
            paths: [],
            programs: [],
            timeoutSeconds: 20,
          },
          ...settings,
        },
        { id: 'a', root },
        { sandbox, dataDir, signal },
      ),
  };
}

/** A program that prints what the function `found` returns, or the name of its error. */
function printing(body: string): string {
  const lines = body.split('\n').map((line) => `  ${line}`);
  return [
    ...['import json, os, socket, subprocess', 'def found():', ...lines],
    ...['try: result = found()', 'except OSError as error: result = type(error).__name__'],
    'print(json.dumps(result))',
  ].join('\n');
}

test('a scanner reads the skill without its hidden files, and writes only to its own folder, where it starts', async () => {
  const { root, scan } = await project();
  expect(
    await scan(printing('return [os.getcwd(), os.listdir("/skill"), open("/skill/SKILL.md").read()]')),
  ).toEqual({
    log: ['/tmp', ['SKILL.md'], '# A skill\n'],
  });
  expect(await scan(printing('open("/skill/new", "w")\nreturn "wrote"'))).toEqual({ log: 'OSError' });
  expect(await scan(printing('open("/tmp/new", "w")\nreturn "wrote"'))).toEqual({ log: 'wrote' });
  expect(await scan(printing('return os.listdir("/tmp")'))).toEqual({ log: [] });
  expect(existsSync(join(root, 'new'))).toBe(false);
});

test('a scanner loads no module of the skill in place of its own', async () => {
  const { folder, root, scan } = await project();
  const forged = 'print("[]"); raise SystemExit(0)\n';
  for (const name of ['json.py', 'house.py']) await writeFile(join(root, name), forged);
  expect(await scan(printing('return sorted(os.listdir("/skill"))'))).toEqual({
    log: ['SKILL.md', 'house.py', 'json.py'],
  });
  const tool = join(folder, 'tool');
  await mkdir(tool);
  await writeFile(join(tool, 'house.py'), 'print("[1]")\n');
  const path = `import sys, runpy; sys.path.append(${JSON.stringify(tool)}); runpy.run_module("house")`;
  expect(await scan(path, { paths: [tool] })).toEqual({ log: [1] });
});

test('a scanner has no network and no environment of the daemon, and reaches a server of its own', async () => {
  const { scan } = await project();
  const server = createServer((socket) => socket.end());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const connect = (to: number | string) =>
    `socket.create_connection(("127.0.0.1", ${to}), 3)\nreturn "connected"`;
  expect(await scan(printing(connect(port)))).toEqual({ log: 'ConnectionRefusedError' });
  expect(await scan(printing('socket.getaddrinfo("a.example", 443)\nreturn "resolved"'))).toEqual({
    log: 'gaierror',
  });
  const own = `own = socket.create_server(("127.0.0.1", 0))\n${connect('own.getsockname()[1]')}`;
  expect(await scan(printing(own))).toEqual({ log: 'connected' });
  expect(await scan(printing('return sorted(os.environ)'))).toMatchObject({
    log: expect.not.arrayContaining(['USER', 'AMBIT_DATA_DIR', 'NODE_OPTIONS']),
  });
});

test('a scanner sees the paths and programs that are named, and nothing else of the host', async () => {
  const { folder, scan } = await project();
  const tool = join(folder, 'tool');
  await mkdir(tool);
  await writeFile(join(tool, 'rules'), 'r1\n');
  const [rules, gitVersion] = [
    printing(`return open(${JSON.stringify(join(tool, 'rules'))}).read()`),
    printing('return subprocess.run(["git", "--version"], capture_output=True).returncode'),
  ];
  expect(await scan(rules)).toEqual({ log: 'FileNotFoundError' });
  expect(await scan(rules, { paths: [tool] })).toEqual({ log: 'r1\n' });
  expect(await scan(gitVersion)).toEqual({ log: 'FileNotFoundError' });
  expect(await scan(gitVersion, { programs: ['git'] })).toEqual({ log: 0 });
  const writes = printing(`open(${JSON.stringify(join(tool, 'rules'))}, "w")\nreturn "wrote"`);
  expect(await scan(writes, { paths: [tool] })).toEqual({ log: 'OSError' });
  const script = join(tool, 'scan');
  await writeFile(script, '#!/usr/bin/python3\nprint("[1]")\n', { mode: 0o755 });
  await chmod(script, 0o755);
  expect(await scan('', { command: [script], paths: [tool], programs: ['python3'] })).toEqual({ log: [1] });
});

test('a path that is in the data directory, or contains it, is not opened to a scanner', async () => {
  const { folder, dataDir, scan } = await project();
  for (const path of [dataDir, join(dataDir, 'key'), folder])
    expect(await scan('print("[]")', { paths: [path] })).toMatchObject({
      problem: expect.stringContaining('is, or contains, the data directory'),
    });
  expect(await scan('print("[]")', { paths: [join(folder, 'skill')] })).toEqual({ log: [] });
});

test.each<[what: string, program: string, settings: Partial<Scanner>, problem: string]>([
  ['takes too long', 'import time; time.sleep(60)', { timeoutSeconds: 1 }, 'did not finish within 1 seconds'],
  ['prints too much', 'print("x" * 5_000_000)', {}, 'printed more than 4 MiB'],
  [
    'prints nothing',
    'import sys; sys.exit("\\x1b[2Jbroken")',
    {},
    'printed nothing and exited with 1 (�[2Jbroken)',
  ],
  ['prints other text', 'print("all good")', {}, 'printed no JSON and exited with 0'],
  ['is missing', '', { command: ['no-such-scanner'] }, 'cannot run (The scanner own needs no-such-scanner'],
  [
    'has a missing path',
    '',
    { paths: ['/srv/no-such-path'] },
    'cannot run (/srv/no-such-path does not exist)',
  ],
])('a scanner that %s is a problem with a remedy', async (_, program, settings, problem) => {
  const { scan } = await project();
  expect(await scan(program, settings)).toEqual({
    problem: expect.stringContaining(problem),
    remedy: expect.stringMatching(/\.$/),
  });
});

test('a scanner that exits with 1 and prints JSON has found something, and an interrupt ends the scan', async () => {
  const { scan } = await project();
  expect(await scan('print("{}"); raise SystemExit(1)')).toEqual({ log: {} });
  const interrupt = new AbortController();
  const running = scan('import time; time.sleep(60)', {}, interrupt.signal);
  interrupt.abort(new Error('interrupted'));
  await expect(running).rejects.toThrow('interrupted');
});
