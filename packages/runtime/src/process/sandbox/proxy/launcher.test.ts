import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFilterable } from '../seccomp/filter.ts';
import { channelDescriptor } from '../start-program.ts';
import { launcher } from './launcher.ts';

/** Where the file lies in memory. */
const base = 0x40_0000;

// Each listing is the launcher's code as objdump reads it, an instruction a line: its bytes and what they mean.
describe.each([
  { architecture: 'x64', elf: 62 },
  { architecture: 'arm64', elf: 183 },
] as const)('on $architecture', ({ architecture, elf }) => {
  const file = launcher(architecture);
  const view = new DataView(file.buffer);

  test('its code is what its listing says', () => {
    const listing = readFileSync(join(import.meta.dirname, `launcher.${architecture}.lst`), 'utf8');
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
  let path: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ambit-launcher-'));
    path = join(folder, 'launcher');
    if (isFilterable(process.arch)) await writeFile(path, launcher(process.arch), { mode: 0o755 });
  });
  afterAll(() => rm(folder, { recursive: true }));

  const failed = {
    exitCode: 126,
    stdout: '',
    stderr: 'the socket for the proxy could not be handed over, or the program not started\n',
  };
  const started = { exitCode: 0, stdout: 'started with a b\n', stderr: '' };

  test.each([
    ['starts its program where it has a channel', 'ipc', '/bin/sh', started],
    ['starts nothing without a channel', 'ignore', '/bin/sh', failed],
    ['starts nothing when its channel is something else', 'pipe', '/dev/null', failed],
    ['says so when there is no such program', 'ipc', '/nowhere', failed],
  ] as const)('it %s', async (_, channel, program, expected) => {
    const args = [program, '-c', 'echo started with "$@"', 'sh', 'a', 'b'];
    const closed = Array<'ignore'>(channelDescriptor - 3).fill('ignore');
    const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe', ...closed, channel] });
    child.on('message', (__, listener) => {
      if (listener !== undefined && 'close' in listener) listener.close();
    });
    const exit = new Promise((resolve) => void child.once('close', resolve));
    const [stdout, stderr] = await Promise.all(
      [child.stdout, child.stderr].map((each) => each && text(each)),
    );
    expect({ exitCode: await exit, stdout, stderr }).toEqual(expected);
  });
});
