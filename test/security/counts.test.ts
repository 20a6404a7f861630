// Threat model: T40

import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { attackingSkill, execution, findings, giveTo, stage } from './support/attacker.ts';
import { attackScripts, callers } from './support/callers.ts';

/** The amount of each resource that a skill gets, regardless of the daemon's limits. */
const everything = {
  limits: {
    NOFILE: [512, 512],
    CORE: [1, 1],
    SIGPENDING: [64, 64],
    MSGQUEUE: [16_384, 16_384],
    MEMLOCK: [65_536, 65_536],
  },
  'queued signals': { ended: 'EAGAIN', taken: 64 },
  'message queues': { ended: 'EMFILE', taken: expect.toSatisfy((taken) => taken > 0 && taken <= 16) },
  'locked memory': { ended: 'ENOMEM', taken: 16 },
  inotify: { ended: 'ENOSYS', taken: 0 },
  'asynchronous requests': 'ENOSYS',
  'pairs of datagram sockets': 'ESOCKTNOSUPPORT',
  // Three full messages of 253 descriptors.
  'descriptors under way': { ended: 'ETOOMANYREFS', taken: 3 },
  pipes: 'taken',
  watches: { ended: 'EMFILE', taken: expect.toSatisfy((taken) => taken > 0 && taken < 512) },
  processes: { ended: 'EAGAIN', taken: expect.toSatisfy((taken) => taken > 0 && taken < 128) },
};

/** The amount that an ordinary program gets if no other program takes anything. */
const untouched = {
  'descriptors under way': 100,
  'a pipe': ['through', 65_536],
  'queued signals': 10,
  'a message queue': 'made',
  'locked memory': 'locked',
  watches: 100,
  'a child': 0,
};

/** A user with many pipes gets small ones, which work. */
const withSmallPipes = { ...untouched, 'a pipe': ['through', expect.any(Number)] };

/** The resources that skills of one user can take from each other, as THREAT_MODEL.md lists. */
const ofOneUser = { ...withSmallPipes, 'descriptors under way': 'ETOOMANYREFS' };

describe.each(callers)('as $name', (caller) => {
  const ground = stage(caller);
  let shared: string;

  beforeAll(async () => {
    shared = join(ground.folder, 'shared');
    await mkdir(shared);
    await giveTo(ground.program.skillUser, shared);
  });

  const isRoot = caller.name === 'root';

  describe.each([
    { name: 'without granted paths', write: [], neighbour: isRoot ? untouched : ofOneUser },
    { name: 'with a granted folder, beside another one', write: ['granted'], neighbour: ofOneUser },
  ])('a skill $name', ({ write, neighbour }) => {
    let found: Awaited<ReturnType<typeof besideTaker>>;

    beforeAll(async () => {
      const folder = join(ground.folder, `writes-${write.length}`);
      found = await besideTaker(folder, { exec: ['python3'], filesystem: { write } });
    });

    test('a skill gets at most its limit of every resource counted per user', () => {
      expect(found.taken).toEqual(everything);
    });

    test('a skill that takes everything leaves another skill its network and its limits', () => {
      expect(found.neighbour).toEqual(neighbour);
    });

    test('a skill that takes everything does not affect a program of the operator', () => {
      expect(found.operator).toEqual(isRoot ? untouched : withSmallPipes);
    });
  });

  /**
   * Runs a skill that takes everything, and meanwhile another skill and a program of the operator.
   */
  async function besideTaker(
    folder: string,
    capabilities: { exec: readonly string[]; filesystem: { write: readonly string[] } },
  ) {
    const taking = await attackingSkill(join(folder, 'taking'), 'counts.py', { capabilities });
    const needing = await attackingSkill(join(folder, 'needing'), 'counts_neighbour.py', {
      capabilities: { ...capabilities, network: ['example.invalid:80'] },
    });
    const grant = capabilities.filesystem.write.length > 0 ? { filesystem: { write: [shared] } } : {};
    const name = `taker-${process.pid}`;
    const limits = Object.keys(everything.limits);
    const given = { name, limits, most: 30_000, children: 8, watched: 100 };
    const taker = execution(ground.program, taking, { given, grant });
    let over = false;
    const noted = taker.finally(() => (over = true)).catch(() => undefined);
    const pid = await processNamed(name, () => over);
    if (pid === undefined) throw new Error(JSON.stringify(await taker));
    try {
      const neighbour = findings(ground.program, needing, {
        grant: { ...grant, network: ['example.invalid:80'] },
      });
      return {
        neighbour: await neighbour,
        operator: await ofOperator(ground.program.uid),
        taken: await ended(),
      };
    } finally {
      if (!over) await ended();
    }

    async function ended(): Promise<unknown> {
      process.kill(pid ?? 0, 'SIGKILL');
      await noted;
      return JSON.parse((await taker).log);
    }
  }
});

/** Waits for a host process with this name, until `stop` returns true. */
async function processNamed(name: string, stop: () => boolean): Promise<number | undefined> {
  while (!stop()) {
    for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
      const found = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
      if (found.trim() === name) return Number(pid);
    }
    await nextTurn();
  }
  return undefined;
}

/**
 * Runs the neighbour's program on the host as the daemon's user, with a login's usual limit of open
 * files.
 */
async function ofOperator(uid: number): Promise<unknown> {
  const start =
    'import os, resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024)); os.execv(sys.argv[1], sys.argv[1:])';
  const python = '/usr/bin/python3';
  const program = spawn(python, ['-c', start, python, join(attackScripts, 'counts_neighbour.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: '/',
    ...(process.getuid?.() === 0 ? { uid, gid: uid } : {}),
  });
  program.stdin.end('{}');
  return JSON.parse(await text(program.stdout));
}
