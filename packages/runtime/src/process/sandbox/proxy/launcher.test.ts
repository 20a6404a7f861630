import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer, answers, assemble, errors, load, when } from '../seccomp/bpf.ts';
import { isFilterable } from '../seccomp/filter.ts';
import { launcher, proxyLauncher } from './launcher.ts';

/** Where the file lies in memory. */
const base = 0x40_0000;

// Each listing is the launcher's code as objdump reads it, an instruction a line: its bytes and what they mean.
describe.each([
  { name: 'launcher', make: launcher, architecture: 'x64', elf: 62 },
  { name: 'launcher', make: launcher, architecture: 'arm64', elf: 183 },
  { name: 'proxy-launcher', make: proxyLauncher, architecture: 'x64', elf: 62 },
  { name: 'proxy-launcher', make: proxyLauncher, architecture: 'arm64', elf: 183 },
] as const)('$name on $architecture', ({ name, make, architecture, elf }) => {
  const file = make(architecture);
  const view = new DataView(file.buffer);

  test('its code is what its listing says', () => {
    const listing = readFileSync(join(import.meta.dirname, `${name}.${architecture}.lst`), 'utf8');
    const bytes = listing.split('\n').map((line) => line.split('\t')[0]);
    const entry = Number(view.getBigUint64(24, true)) - base;
    expect(Buffer.from(file.subarray(entry)).toString('hex')).toBe(bytes.join(''));
  });

  test('it is a program for this machine, which is loaded whole and can nowhere be written', () => {
    const segment = { type: view.getUint32(64, true), flags: view.getUint32(68, true) };
    const places = [72, 80, 88, 96, 104].map((at) => Number(view.getBigUint64(at, true)));
    expect({ machine: view.getUint16(18, true), segment, places }).toEqual({
      machine: elf,
      segment: { type: 1, flags: 5 },
      places: [0, base, base, file.length, file.length],
    });
  });
});

describe.skipIf(!isFilterable(process.arch))('as a program of this machine', () => {
  let folder: string;
  let paths: Record<'launcher' | 'proxyLauncher' | 'withoutCloseRange', string>;
  let open: number;
  beforeAll(async () => {
    if (!isFilterable(process.arch)) return;
    folder = await mkdtemp(join(tmpdir(), 'ambit-launcher-'));
    paths = {
      launcher: join(folder, 'launcher'),
      proxyLauncher: join(folder, 'proxy-launcher'),
      withoutCloseRange: join(folder, 'filter'),
    };
    await writeFile(paths.launcher, launcher(process.arch), { mode: 0o755 });
    await writeFile(paths.proxyLauncher, proxyLauncher(process.arch), { mode: 0o755 });
    const [closeRange, noSuchCall] = [436, answer(answers.error(errors.noSuchCall))];
    const filter = [...load('number'), ...when('equals', closeRange, noSuchCall), ...answer(answers.allow)];
    await writeFile(paths.withoutCloseRange, assemble(filter));
    open = openSync(paths.launcher, 'r');
  });
  afterAll(async () => {
    closeSync(open);
    await rm(folder, { recursive: true });
  });

  interface Descriptors {
    channel?: 'ipc' | 'pipe' | 'ignore';
    /** By number: what is open when the program starts. */
    files?: Readonly<Record<number, number>>;
  }
  async function run(argv: readonly string[], { channel = 'ignore', files = {} }: Descriptors = {}) {
    const [file = '', ...args] = argv;
    const highest = Math.max(5, ...Object.keys(files).map(Number));
    const more = Array.from({ length: highest - 5 }, (_, at) => files[at + 6] ?? 'ignore');
    const stdio = ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', channel, ...more] as const;
    const child = spawn(file, args, { stdio: [...stdio] });
    child.on('message', (__, listener) => {
      if (listener !== undefined && 'close' in listener) listener.close();
    });
    const exit = new Promise((resolve) => void child.once('close', resolve));
    const [stdout, stderr] = await Promise.all(
      [child.stdout, child.stderr].map((each) => each && text(each)),
    );
    return { exitCode: await exit, stdout, stderr };
  }

  const greeting = ['-c', 'echo started with "$@"', 'sh', 'a', 'b'];
  const started = { exitCode: 0, stdout: 'started with a b\n', stderr: '' };
  const failed = (stderr: string) => ({ exitCode: 126, stdout: '', stderr });
  const notHandedOver = failed(
    'the socket for the proxy could not be handed over, or the program not started\n',
  );

  test.each([
    ['starts its program where it has a channel', 'ipc', '/bin/sh', started],
    ['starts nothing without a channel', 'ignore', '/bin/sh', notHandedOver],
    ['starts nothing when its channel is something else', 'pipe', '/dev/null', notHandedOver],
    ['says so when there is no such program', 'ipc', '/nowhere', notHandedOver],
  ] as const)('with a proxy it %s', async (_, channel, program, expected) => {
    expect(await run([paths.proxyLauncher, program, ...greeting], { channel })).toEqual(expected);
  });

  test('without a proxy it starts its program, and says so when there is none', async () => {
    expect(await run([paths.launcher, '/bin/sh', ...greeting])).toEqual(started);
    expect(await run([paths.launcher, '/nowhere'])).toEqual(failed('the program could not be started\n'));
  });

  test('its program has the standard three descriptors and no other, also where the kernel has no close_range', async () => {
    const [low, high] = [7, 1000];
    const list = `for n in 0 1 2 ${low} ${high}; do test -e /proc/$$/fd/$n && echo $n; done; true`;
    const shell = ['/bin/sh', '-c', list];
    const files = { [low]: open, [high]: open };
    const withFilter = { ...files, 9: openSync(paths.withoutCloseRange, 'r') };
    const filtered = ['bwrap', '--dev-bind', '/', '/', '--seccomp', '9', '--'];
    const found = {
      direct: await run(shell, { files }),
      launched: await run([paths.launcher, ...shell], { files }),
      withProxy: await run([paths.proxyLauncher, ...shell], { files, channel: 'ipc' }),
      oneByOne: await run([...filtered, paths.launcher, ...shell], { files: withFilter }),
    };
    closeSync(withFilter[9]);
    const standard = { exitCode: 0, stdout: '0\n1\n2\n', stderr: '' };
    expect(found).toEqual({
      direct: { ...standard, stdout: `0\n1\n2\n${low}\n${high}\n` },
      launched: standard,
      withProxy: standard,
      oneByOne: standard,
    });
  });
});
