// Threat model: T38, T44, T48, T68, T103

import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { atDeadline } from '../../packages/runtime/src/testing/at-deadline.ts';
import { attackingSkill, execution, stage } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import type { ExecutionLine } from './support/protocol.ts';

const MiB = 1024 * 1024;

const run = {
  capabilities: { exec: ['python3'], filesystem: { write: ['workspace'] } },
  limits: { fileBytes: 1024 * MiB },
};

/** The limits of each call; others are the tier's. No attack reaches the deadline, unless it is about deadlines. */
const limits = {
  timeoutMs: 60_000,
  memoryBytes: 64 * MiB,
  cpuMs: 10_000,
  processes: 32,
  outputBytes: 100_000,
};

describe.each(callers)('as $name', (caller) => {
  const ground = stage(caller);
  let skill: string;
  let unreading: string;

  beforeAll(async () => {
    skill = await attackingSkill(ground.folder, 'resources.py', run);
    unreading = await attackingSkill(join(ground.folder, 'unreading'), 'unread.py', run);
  });

  function take(way: string, given: object = {}, narrower: object = {}): Promise<ExecutionLine> {
    const narrowing = { limits: { ...limits, ...narrower } };
    return execution(ground.program, skill, { given: { way, ...given }, narrowing });
  }

  /** The result of a call: its outcome, and what it was permitted before it exceeded a limit. */
  async function ended(...attempt: Parameters<typeof take>): Promise<object> {
    const { outcome, log } = await take(...attempt);
    return { outcome, permitted: log.slice(0, 100).trim() };
  }

  const succeeded = (output: unknown) => ({ status: 'succeeded', output });
  const outOfMemory = { status: 'out-of-memory', memoryBytes: limits.memoryBytes };
  const tooLarge = { status: 'output-too-large', outputBytes: limits.outputBytes };

  /** The expected result with writable cgroups, and without them. */
  const held = <T>(withCgroups: T, without: T): T =>
    ground.program.cgroups === null ? without : withCgroups;

  // Without cgroups, each process is limited separately, and their total is not: the second value
  // shows that.
  test.each<[name: string, way: string, given: object, without: unknown, permitted: string]>([
    ['a memory bomb', 'memory', {}, 'refused', '8 MiB'],
    ['a memory bomb of shareable memory', 'memory_shared', {}, 'all of it', '8 MiB'],
    ['a memory bomb of many processes', 'memory_of_many', {}, 'all of it', 'a child'],
    [
      'a memory bomb of System V segments, which belong to no process,',
      'shared_memory',
      { bound: 64 },
      { bounded: false },
      'a segment',
    ],
  ])('%s is ended', async (_, way, given, without, permitted) => {
    expect(await ended(way, { most: 96, ...given })).toEqual({
      outcome: held<unknown>(outOfMemory, succeeded(without)),
      permitted,
    });
  });

  // Socket buffers are kernel memory, which all programs of the machine share.
  test('filling socket buffers on the loopback is limited', async () => {
    const { outcome, log } = await take('connections', { most: 160, bound: 64 });
    expect({ outcome, permitted: log.trim() }).toEqual({
      outcome: succeeded({ bounded: held(true, false) }),
      permitted: '4 MiB through a connection',
    });
  });

  const full = { ended: 'ENOSPC', bounded: true };
  const larger = { memoryBytes: 128 * MiB };

  test('filling /workspace is limited', async () => {
    const attempt = { folder: '/workspace', most: 160, bound: 128 };
    expect(await ended('fill', attempt, larger)).toEqual({
      outcome: held<unknown>({ ...outOfMemory, ...larger }, succeeded(full)),
      permitted: 'a small file',
    });
  });

  test.each<[name: string, attempt: Parameters<typeof take>, output: unknown, permitted: string]>([
    ...['/tmp', '/dev/shm'].map((folder): [string, Parameters<typeof take>, unknown, string] => [
      `filling ${folder} is limited`,
      ['fill', { folder, most: 80, bound: 64 }, larger],
      full,
      'a small file',
    ]),
    [
      'filling /tmp with unnamed files is limited',
      ['unlinked', { most: 80, bound: 64 }, larger],
      full,
      'a file',
    ],
    [
      'a file larger than fileBytes is refused',
      ['fill', { folder: '/tmp', most: 40, bound: 8 }, { fileBytes: 8 * MiB }],
      { ended: 'EFBIG', bounded: true },
      'a small file',
    ],
    ['a fork bomb fails to fork', ['forks', { most: 200 }], { bounded: true }, 'a child'],
    ['a thread bomb is limited', ['threads', { most: 200 }], { bounded: true }, 'a thread'],
    ['the number of descriptors is limited', ['descriptors', { most: 2_000_000 }], 'EMFILE', 'a descriptor'],
    ['output that is closed early is returned', ['closed_output'], 'said', 'started'],
    [
      'writing to the skill’s own input is harmless',
      ['written_input', { most: 64 }],
      { bounded: true },
      'started',
    ],
  ])('%s', async (_, attempt, output, permitted) => {
    expect(await ended(...attempt)).toEqual({ outcome: succeeded(output), permitted });
  });

  test('a huge sparse file is reported and not read', async () => {
    const { outcome, files } = await take('sparse', { size: 2 ** 30 }, { fileBytes: 2 ** 30 });
    expect({ outcome, read: files?.map(({ path, content }) => [path, content?.length]) }).toEqual({
      outcome: succeeded({ used: 0, small: 10, made: true }),
      read: [
        ['giant', undefined],
        ['small', 10],
      ],
    });
  });

  test('using every processor ends at the CPU limit', async () => {
    const { outcome, log } = await take('spin', {}, { cpuMs: 1000 });
    expect({ outcome, log }).toEqual({
      // Without cgroups, the process is killed by its own limit.
      outcome: held<object>(
        { status: 'timed-out', cpuMs: 1000 },
        { status: 'failed', failure: { exitCode: 137 }, stderr: 'started\n' },
      ),
      log: 'started\n',
    });
  });

  test('sleeping past the deadline ends the call', async () => {
    const { result, timeoutMs } = await atDeadline(
      (timeoutMs) => take('sleep', {}, { timeoutMs }),
      ({ log }) => log !== '',
    );
    expect([result.outcome, result.log]).toEqual([{ status: 'timed-out', timeoutMs }, 'started\n']);
  });

  test.each([
    ['stdout', 1],
    ['stderr', 2],
  ])('endless output on %s ends the call', async (_, stream) => {
    expect((await take('endless', { stream })).outcome).toEqual(tooLarge);
  });

  test('endless output of a child that left its process group ends the call', async () => {
    expect((await take('endless of a child', { stream: 1 })).outcome).toEqual(tooLarge);
  });

  test('endless output on both streams ends the call', async () => {
    expect((await take('both')).outcome).toEqual(tooLarge);
  });

  test('output without any valid UTF-8 is invalid', async () => {
    expect((await take('bytes')).outcome).toEqual({
      status: 'output-invalid',
      detail: expect.stringContaining('is not UTF-8'),
      stderr: 'started\n',
    });
  });

  test('a call without output is handled', async () => {
    expect((await take('closed_everything')).outcome).toEqual({
      status: 'output-invalid',
      detail: expect.stringMatching(/nothing|no output/),
      stderr: 'started\n',
    });
  });

  test.each([
    ['then ends', 'end'],
    ['closes it, then ends', 'close'],
    ['then waits', 'wait'],
  ])('a skill that does not read a large input and %s does not hang the call', async (_, way) => {
    const call = (timeoutMs = limits.timeoutMs) =>
      execution(ground.program, unreading, {
        given: 'x'.repeat(8 * MiB),
        files: { way },
        narrowing: { limits: { ...limits, timeoutMs } },
      });
    const { result, timeoutMs } =
      way === 'wait'
        ? await atDeadline(call, ({ log }) => log !== '')
        : { result: await call(), timeoutMs: limits.timeoutMs };
    expect({ outcome: result.outcome, log: result.log }).toEqual({
      outcome: way === 'wait' ? { status: 'timed-out', timeoutMs } : succeeded('not read'),
      log: 'started\n',
    });
  });

  test.each([
    ['SIGKILL', 137],
    ['SIGSEGV', 139],
    ['SIGABRT', 134],
    ['SIGTERM', 143],
  ])('a skill ended by %s fails with its exit code', async (signal, exitCode) => {
    expect((await take('by_signal', { signal })).outcome).toEqual({
      status: 'failed',
      failure: { exitCode },
      stderr: 'started\n',
    });
  });

  test('a crash leaves no core dump on the host', async () => {
    const { outcome, files = [] } = await take('crash');
    // If the kernel writes a core dump at all, it is inside, in the workspace.
    expect({
      outcome,
      elsewhere: files.filter(({ path }) => !path.startsWith('core')).map(({ path }) => path),
    }).toEqual({
      outcome: { status: 'failed', failure: { exitCode: 139 }, stderr: 'started\n' },
      elsewhere: [],
    });
  });

  test('after all attacks an ordinary call works, and reports its usage if the machine can measure it', async () => {
    const { outcome, usage } = await take('nothing');
    const measured = held<unknown>(expect.any(Number), null);
    expect({ outcome, usage }).toEqual({
      outcome: succeeded('nothing'),
      usage: {
        durationMs: expect.any(Number),
        cpuMs: measured,
        memoryPeakBytes: measured,
        fuelConsumed: null,
      },
    });
  });
});
