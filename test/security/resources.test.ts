import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackingSkill, execution, type Stage, stage } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import type { ExecutionLine } from './support/protocol.ts';

const MiB = 1024 * 1024;

const run = {
  capabilities: { exec: ['python3'], filesystem: { write: ['workspace'] } },
  limits: { fileBytes: 1024 * MiB },
};

/** The bounds of each call; what is not named is the tier's. */
const limits = {
  timeoutMs: 10_000,
  memoryBytes: 64 * MiB,
  cpuMs: 10_000,
  processes: 32,
  outputBytes: 100_000,
};

describe.each(callers)('as $name', (caller) => {
  let ground: Stage;
  let skill: string;
  let unreading: string;

  beforeAll(async () => {
    ground = await stage(caller);
    skill = await attackingSkill(ground.folder, 'resources.py', run);
    unreading = await attackingSkill(join(ground.folder, 'unreading'), 'unread.py', run);
  });
  afterAll(() => ground.close());

  function take(way: string, given: object = {}, narrower: object = {}): Promise<ExecutionLine> {
    const narrowing = { limits: { ...limits, ...narrower } };
    return execution(ground.program, skill, { given: { way, ...given }, narrowing });
  }

  /** What a call came to: its outcome, and what it was permitted before it took more. */
  async function ended(...attempt: Parameters<typeof take>): Promise<object> {
    const { outcome, log } = await take(...attempt);
    return { outcome, permitted: log.slice(0, 100).trim() };
  }

  const succeeded = (output: unknown) => ({ status: 'succeeded', output });
  const outOfMemory = { status: 'out-of-memory', memoryBytes: limits.memoryBytes };
  const tooLarge = { status: 'output-too-large', outputBytes: limits.outputBytes };

  /** What holds where the kernel's accounts can be written, and what is left where they cannot. */
  const held = <T>(withAccounts: T, without: T): T =>
    ground.program.cgroups === null ? without : withAccounts;

  // Without the kernel's accounts each process is bounded by itself, and what they have together is not: the last of
  // the two values says so.
  test('a memory bomb', async () => {
    expect(await ended('memory', { most: 96 })).toEqual({
      outcome: held<unknown>(outOfMemory, succeeded('refused')),
      permitted: '8 MiB',
    });
  });

  test('a memory bomb of memory that could be shared', async () => {
    expect(await ended('memory_shared', { most: 96 })).toEqual({
      outcome: held<unknown>(outOfMemory, succeeded('all of it')),
      permitted: '8 MiB',
    });
  });

  test('a memory bomb of many processes', async () => {
    expect(await ended('memory_of_many', { most: 96 })).toEqual({
      outcome: held<unknown>(outOfMemory, succeeded('all of it')),
      permitted: 'a child',
    });
  });

  test('memory in System V segments, which belong to no process', async () => {
    expect(await ended('shared_memory', { most: 96, bound: 64 })).toEqual({
      outcome: held<unknown>(outOfMemory, succeeded({ bounded: false })),
      permitted: 'a segment',
    });
  });

  // Buffers of sockets belong to the kernel, and all programs of the machine share what it has for them.
  test('filling the buffers of connections on its own loopback', async () => {
    const { outcome, log } = await take('connections', { most: 160, bound: 64 }, { timeoutMs: 60_000 });
    expect({ outcome, permitted: log.trim() }).toEqual({
      outcome: succeeded({ bounded: held(true, false) }),
      permitted: '4 MiB through a connection',
    });
  });

  test.each(['/tmp', '/workspace', '/dev/shm'])('filling %s', async (folder) => {
    expect(await ended('fill', { folder, most: 80, bound: 64 }, { memoryBytes: 128 * MiB })).toEqual({
      outcome: succeeded({ ended: 'ENOSPC', bounded: true }),
      permitted: 'a small file',
    });
  });

  test('a file larger than fileBytes', async () => {
    expect(await ended('fill', { folder: '/tmp', most: 40, bound: 8 }, { fileBytes: 8 * MiB })).toEqual({
      outcome: succeeded({ ended: 'EFBIG', bounded: true }),
      permitted: 'a small file',
    });
  });

  test('filling /tmp with files that have no name', async () => {
    expect(await ended('unlinked', { most: 80, bound: 64 }, { memoryBytes: 128 * MiB })).toEqual({
      outcome: succeeded({ ended: 'ENOSPC', bounded: true }),
      permitted: 'a file',
    });
  });

  test('a giant of holes', async () => {
    const { outcome, files } = await take('sparse', { size: 2 ** 30 }, { fileBytes: 2 ** 30 });
    expect({ outcome, read: files?.map(({ path, content }) => [path, content?.length]) }).toEqual({
      outcome: succeeded({ used: 0, small: 10, made: true }),
      read: [
        ['giant', undefined],
        ['small', 10],
      ],
    });
  });

  test('a fork bomb', async () => {
    expect(await ended('forks', { most: 200 })).toEqual({
      outcome: succeeded({ bounded: true }),
      permitted: 'a child',
    });
  });

  test('a bomb of threads', async () => {
    expect(await ended('threads', { most: 200 })).toEqual({
      outcome: succeeded({ bounded: true }),
      permitted: 'a thread',
    });
  });

  test('descriptors without end', async () => {
    expect(await ended('descriptors', { most: 2_000_000 })).toEqual({
      outcome: succeeded('EMFILE'),
      permitted: 'a descriptor',
    });
  });

  test('spinning on every processor', async () => {
    const { outcome, log } = await take('spin', {}, { cpuMs: 1000 });
    expect({ outcome, log }).toEqual({
      // Without the accounts the process itself is ended, by its own bound.
      outcome: held<object>(
        { status: 'timed-out', cpuMs: 1000 },
        { status: 'failed', failure: { exitCode: 137 }, stderr: 'started\n' },
      ),
      log: 'started\n',
    });
  });

  test('sleeping past the deadline', async () => {
    expect(await ended('sleep', {}, { timeoutMs: 500 })).toEqual({
      outcome: { status: 'timed-out', timeoutMs: 500 },
      permitted: 'started',
    });
  });

  test.each([
    ['stdout', 1],
    ['stderr', 2],
  ])('output without end on %s', async (_, stream) => {
    expect((await take('endless', { stream })).outcome).toEqual(tooLarge);
  });

  test('output without end of a child that has left its group', async () => {
    expect((await take('endless of a child', { stream: 1 })).outcome).toEqual(tooLarge);
  });

  test('output without end on both streams', async () => {
    expect((await take('both')).outcome).toEqual(tooLarge);
  });

  test('output of which no byte is UTF-8', async () => {
    expect((await take('bytes')).outcome).toEqual({
      status: 'output-invalid',
      detail: expect.stringContaining('is not UTF-8'),
      stderr: 'started\n',
    });
  });

  test('no output', async () => {
    expect((await take('closed_everything')).outcome).toEqual({
      status: 'output-invalid',
      detail: expect.stringMatching(/nothing|no output/),
      stderr: 'started\n',
    });
  });

  test('output closed early', async () => {
    expect(await ended('closed_output')).toEqual({ outcome: succeeded('said'), permitted: 'started' });
  });

  test.each([
    ['then ends', 'end', { status: 'succeeded', output: 'not read' }],
    ['closes it, then ends', 'close', { status: 'succeeded', output: 'not read' }],
    ['then waits', 'wait', { status: 'timed-out', timeoutMs: 700 }],
  ])('a large input that it does not read and %s', async (_, way, outcome) => {
    const call = await execution(ground.program, unreading, {
      given: 'x'.repeat(8 * MiB),
      files: { way },
      narrowing: { limits: { ...limits, timeoutMs: 700 } },
    });
    expect({ outcome: call.outcome, log: call.log }).toEqual({ outcome, log: 'started\n' });
  });

  test('writing to its own input', async () => {
    expect(await ended('written_input', { most: 64 })).toEqual({
      outcome: succeeded({ bounded: true }),
      permitted: 'started',
    });
  });

  test.each([
    ['SIGKILL', 137],
    ['SIGSEGV', 139],
    ['SIGABRT', 134],
    ['SIGTERM', 143],
  ])('its end by %s', async (signal, exitCode) => {
    expect((await take('by_signal', { signal })).outcome).toEqual({
      status: 'failed',
      failure: { exitCode },
      stderr: 'started\n',
    });
  });

  test('a crash that would leave its memory on the host', async () => {
    const { outcome, files = [] } = await take('crash');
    // Where the kernel writes memory down at all it does so inside, into the workspace.
    expect({
      outcome,
      elsewhere: files.filter(({ path }) => !path.startsWith('core')).map(({ path }) => path),
    }).toEqual({
      outcome: { status: 'failed', failure: { exitCode: 139 }, stderr: 'started\n' },
      elsewhere: [],
    });
  });

  test('after all of that an ordinary call works, and what it used is told where it can be known', async () => {
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
