// Threat model: T172, T173

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { takeBounds } from '../../../process/sandbox/workspace/take-files.ts';
import { meterModule } from '../../meter/meter-module.mjs';
import { callCommand, compileCommand } from './call-command.mjs';
import type { CommandBounds } from './run-program.mjs';
import { boundedBytes } from './streams.mjs';

const KiB = 1024;
const MiB = 1024 * KiB;

const fixture = readFileSync(new URL('../../testing/fixtures/filler.wasm', import.meta.url));

interface Filled {
  output: string;
  changes: unknown;
  memoryPeakBytes: number;
}

function fill(args: readonly string[], bounds: Partial<CommandBounds> = {}): Filled {
  const metered = meterModule(fixture, { untrusted: false });
  if (metered.status === 'refused') throw new Error(metered.problem);
  const command = compileCommand(new WebAssembly.Module(Uint8Array.from(metered.bytes)));
  if ('problem' in command) throw new Error(command.problem);
  const stdout = boundedBytes(MiB);
  const isWritten = (bytes: Uint8Array): boolean => {
    stdout.write(bytes);
    return true;
  };
  const { verdict, changes, memoryPeakBytes } = callCommand(
    command,
    new Uint8Array(),
    {
      memoryBytes: 16 * MiB,
      outputBytes: MiB,
      fuel: 2 ** 62,
      tableGrowth: 1000,
      name: 'subject',
      args,
      env: {},
      diskBytes: MiB,
      fileBytes: MiB,
      takeBounds,
      stdout: { write: isWritten, flush: () => undefined },
      skillFiles: { list: () => [], read: () => new Uint8Array() },
      ...bounds,
    },
    { write: () => true, flush: () => undefined },
    () => null,
  );
  expect(verdict).toEqual({ status: 'returned' });
  return {
    output: new TextDecoder().decode(stdout.written()),
    changes: changes?.map(({ path, change, size, omitted }) => [path, change, size, omitted]),
    memoryPeakBytes,
  };
}

const full = 'No space left on device';

describe('the size of the disk', () => {
  // Each costs 512 bytes, and the temporary folder already contains one file.
  test.each([
    ['folders', 2047],
    ['files', 2047],
    ['links', 2023],
    ['names', 2047],
  ])('a command can create %s until the disk is full', (what, made) => {
    expect(fill([what]).output).toBe(`${made} ${full}\n`);
  });

  test('a command can open up to 1024 descriptors, including its streams and folders', () => {
    expect(fill(['descriptors']).output).toBe('1018 No file descriptors available\n');
  });
});

describe('freed space', () => {
  test('emptied and deleted files free their space', () => {
    expect(fill(['again', '400']).output).toBe('done\n');
    expect(fill(['again', '1100'], { fileBytes: 2 * MiB }).output).toBe(`${full}\n`);
  });

  test('moved and replaced files with several names free their space', () => {
    // One file remains, with two names.
    expect(fill(['moves']).output).toBe(`done\n2046 ${full}\n`);
  });

  test('a caller’s file that uses more than half of the disk can be rewritten', () => {
    const given = [{ path: 'filled', content: new Uint8Array(700 * KiB) }];
    expect(fill(['fill', '200'], { given })).toMatchObject({
      output: 'done\n',
      changes: [['filled', 'changed', 200 * KiB, undefined]],
    });
  });
});

describe('limits.fileBytes', () => {
  test.each(['fill', 'size'])('a file cannot exceed limits.fileBytes by %s', (how) => {
    const given: CommandBounds['given'] = [];
    expect(fill([how, '100'], { given, fileBytes: 100 * KiB })).toMatchObject({
      output: 'done\n',
      changes: [['filled', 'created', 100 * KiB, undefined]],
    });
    expect(fill([how, '101'], { given, fileBytes: 100 * KiB }).output).toBe('File too large\n');
  });

  test('a caller’s file beyond limits.fileBytes can be read and shortened', () => {
    const given = [{ path: 'filled', content: new Uint8Array(200 * KiB) }];
    expect(fill(['fill', '100'], { given, fileBytes: 100 * KiB }).output).toBe('done\n');
  });
});

test('unusual file names are allowed, and names that are not UTF-8 are refused', () => {
  expect(fill(['odd names'], { given: [] })).toMatchObject({
    output: `${'done\n'.repeat(7)}Illegal byte sequence\n`,
    changes: ['-rf', '...', 'a\nb', '__proto__', 'a\\b', '\uFEFFmark', ' '].map((name) => [
      ...[name, 'created', KiB, undefined],
    ]),
  });
});
