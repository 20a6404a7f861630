// Threat model: T40, T45, T70, T104

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { channelDescriptor, startBarrierDescriptor } from '../../../spawn/start-program.ts';
import { answer, answers, assemble, errors, load, when } from '../seccomp/bpf.ts';
import { isFilterable } from '../seccomp/filter.ts';
import { type LauncherTask, launcher } from './launcher.ts';

const task = { proxy: true, rlimits: { nofile: 512, fsize: 2 ** 40 } };

/** The file's address in memory. */
const base = 0x40_0000;

// Each listing is the launcher's code as objdump prints it, one instruction a line: its bytes and
// their meaning.
describe.each([
  { architecture: 'x64', elf: 62 },
  { architecture: 'arm64', elf: 183 },
] as const)('on $architecture', ({ architecture, elf }) => {
  const file = launcher(architecture, task);
  const view = new DataView(file.buffer);

  test('the launcher’s code equals its listing', () => {
    const listing = readFileSync(join(import.meta.dirname, `launcher.${architecture}.lst`), 'utf8');
    const bytes = listing.split('\n').map((line) => line.split('\t')[0]);
    const entry = Number(view.getBigUint64(24, true)) - base;
    expect(Buffer.from(file.subarray(entry)).toString('hex')).toBe(bytes.join(''));
  });

  test('the launcher is an ELF program for this architecture with one read-only segment', () => {
    const segment = { type: view.getUint32(64, true), flags: view.getUint32(68, true) };
    const places = [72, 80, 88, 96, 104].map((at) => Number(view.getBigUint64(at, true)));
    expect({ machine: view.getUint16(18, true), segment, places }).toEqual({
      machine: elf,
      segment: { type: 1, flags: 5 },
      places: [0, base, base, file.length, file.length],
    });
  });
});

describe.skipIf(!isFilterable(process.arch))('the launcher as a program of this machine', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ambit-launcher-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  interface Surroundings {
    /** Open files when the launcher starts, by descriptor. */
    files?: Readonly<Record<number, number>>;
    /** The command that starts the launcher. */
    within?: readonly string[];
    /** The bytes that are written to the start barrier before it is closed. */
    barrier?: string;
  }

  /** bubblewrap sets this too; without it only root may add a filter. */
  const noNewRights = [
    '/usr/bin/python3',
    '-c',
    'import ctypes, os, sys\nctypes.CDLL(None).prctl(38, 1, 0, 0, 0)\nos.execv(sys.argv[1], sys.argv[1:])',
  ];

  /** Runs a launcher with a program and its arguments. */
  async function launched(
    own: Partial<LauncherTask>,
    channel: 'ipc' | 'ignore',
    args: readonly string[],
    { files = {}, within = noNewRights, barrier = '.' }: Surroundings = {},
  ): Promise<{ exitCode: unknown; stdout: string; stderr: string }> {
    const path = join(folder, randomUUID());
    if (isFilterable(process.arch))
      await writeFile(path, launcher(process.arch, { ...task, ...own }), { mode: 0o755 });
    const [program = '', ...rest] = [...within, path, ...args];
    const highest = Math.max(channelDescriptor, ...Object.keys(files).map(Number));
    const stdio: ('pipe' | 'ipc' | 'ignore' | number)[] = Array.from(
      { length: highest + 1 },
      (_, at) => files[at] ?? 'ignore',
    );
    stdio.splice(1, 2, 'pipe', 'pipe');
    stdio[channelDescriptor] = channel;
    stdio[startBarrierDescriptor] = 'pipe';
    const child = spawn(program, rest, { stdio });
    // A launcher that fails before reads nothing.
    (child.stdio[startBarrierDescriptor] as Writable).on('error', () => undefined).end(barrier);
    child.on('message', (__, listener) => {
      if (listener !== undefined && 'close' in listener) listener.close();
    });
    const exit = new Promise((resolve) => void child.once('close', resolve));
    const [stdout = '', stderr = ''] = await Promise.all(
      [child.stdout, child.stderr].map((each) => (each ? text(each) : '')),
    );
    return { exitCode: await exit, stdout, stderr };
  }

  const failed = {
    exitCode: 126,
    stdout: '',
    stderr: 'the sandbox could not be prepared, so the program was not started\n',
  };
  const unstarted = {
    ...failed,
    stderr: 'the program could not be started: this machine cannot execute the file\n',
  };
  const started = { exitCode: 0, stdout: 'started with a b\n', stderr: '' };
  const says = ['-c', 'echo started with "$@"', 'sh', 'a', 'b'];

  test.each([
    ['starts its program where it has a channel', true, 'ipc', '/bin/sh', started],
    ['starts nothing without a channel', true, 'ignore', '/bin/sh', failed],
    ['reports a program that does not exist', true, 'ipc', '/nowhere', unstarted],
    ['needs no channel without a proxy', false, 'ignore', '/bin/sh', started],
  ] as const)('it %s', async (_, proxy, channel, program, expected) => {
    expect(await launched({ proxy }, channel, [program, ...says])).toEqual(expected);
  });

  test('it starts nothing if its start barrier is closed without a byte, as by a daemon that is killed', async () => {
    const [allowed, closed] = [{ barrier: '.' }, { barrier: '' }];
    expect(await launched({ proxy: false }, 'ignore', ['/bin/sh', ...says], allowed)).toEqual(started);
    expect(await launched({ proxy: false }, 'ignore', ['/bin/sh', ...says], closed)).toEqual(failed);
  });

  test('the program has only the standard three descriptors, even on a kernel without close_range', async () => {
    const [noCloseRange, low, high] = [join(folder, 'filter'), 7, 1000];
    const noSuchCall = answer(answers.error(errors.noSuchCall));
    await writeFile(
      noCloseRange,
      assemble([...load('number'), ...when('equals', 436, noSuchCall), ...answer(answers.allow)]),
    );
    const [open, filter] = [openSync('/dev/null', 'r'), openSync(noCloseRange, 'r')];
    onTestFinished(() => {
      for (const descriptor of [open, filter]) closeSync(descriptor);
    });
    const list = `for n in 0 1 2 ${low} ${high}; do test -e /proc/$$/fd/$n && echo $n; done; true`;
    const shell = ['/bin/sh', '-c', list];
    const files = { [low]: open, [high]: open };
    const filtered = {
      files: { ...files, 9: filter },
      within: ['bwrap', '--dev-bind', '/', '/', '--seccomp', '9', '--'],
    };
    // Rlimits would hide open descriptors above 512.
    const own = { proxy: false, rlimits: { fsize: 2 ** 40 } };
    const found = {
      direct: await launched(own, 'ignore', ['/dev/null', ...shell], { files, within: [...shell] }),
      launched: await launched(own, 'ignore', shell, { files }),
      withProxy: await launched({ ...own, proxy: true }, 'ipc', shell, { files }),
      oneByOne: await launched(own, 'ignore', shell, filtered),
    };
    const standard = { exitCode: 0, stdout: '0\n1\n2\n', stderr: '' };
    expect(found).toEqual({
      direct: { ...standard, stdout: `0\n1\n2\n${low}\n${high}\n` },
      launched: standard,
      withProxy: standard,
      oneByOne: standard,
    });
  });

  const ofProgram = (script: string) => [
    '/usr/bin/python3',
    '-c',
    `import json, os, resource, sys\n${script}`,
  ];
  const limitsOf = (names: readonly string[]) =>
    `print(json.dumps([resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in ${JSON.stringify(names)}]))`;

  test('the launcher sets each limit, soft and hard', async () => {
    const rlimits = { nofile: 100, fsize: 4096, core: 1, memlock: 65_536, data: 2 ** 33 };
    const program = ofProgram(limitsOf(['NOFILE', 'FSIZE', 'CORE', 'MEMLOCK', 'DATA']));
    const { stdout } = await launched({ proxy: false, rlimits }, 'ignore', program);
    expect(JSON.parse(stdout)).toEqual(Object.values(rlimits).map((value) => [value, value]));
  });

  test('a write beyond the file size limit fails and does not end the program', async () => {
    const file = join(folder, 'file');
    const script = `
def write(count):
    try: return os.pwrite(file, b"x" * count, 0)
    except OSError as error: return error.strerror
file = os.open(${JSON.stringify(file)}, os.O_CREAT | os.O_RDWR)
print(write(4096), os.lseek(file, 4096, 0), end=" ")
try: os.write(file, b"x")
except OSError as error: print(error.strerror)
`;
    const { stdout } = await launched(
      { proxy: false, rlimits: { fsize: 4096 } },
      'ignore',
      ofProgram(script),
    );
    expect(stdout).toBe('4096 4096 File too large\n');
    // Unlike Python, a shell does not ignore SIGXFSZ itself.
    const shell = `printf x >> ${file} || echo refused`;
    const appended = await launched({ proxy: false, rlimits: { fsize: 4096 } }, 'ignore', [
      '/bin/sh',
      '-c',
      shell,
    ]);
    expect(appended.stdout).toBe('refused\n');
  });

  test('setting the core limit succeeds and changes nothing, and other limits can be lowered', async () => {
    const script = `
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_NOFILE, (50, 60))
${limitsOf(['CORE', 'NOFILE'])}`;
    const { stdout } = await launched({ proxy: false, rlimits: { core: 1 } }, 'ignore', ofProgram(script));
    expect(JSON.parse(stdout)).toEqual([
      [1, 1],
      [50, 60],
    ]);
  });
});
