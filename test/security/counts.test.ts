import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackingSkill, execution, findings, giveTo, type Stage, stage } from './support/attacker.ts';
import { attackScripts, callers } from './support/callers.ts';

/** What a skill gets of each, whatever the daemon was started with. */
const everything = {
  limits: {
    ...{ NOFILE: [512, 512], CORE: [1, 1], SIGPENDING: [64, 64] },
    ...{ MSGQUEUE: [16_384, 16_384], MEMLOCK: [65_536, 65_536] },
  },
  'queued signals': { ended: 'EAGAIN', taken: 64 },
  'message queues': { ended: 'EMFILE', taken: expect.toSatisfy((taken) => taken > 0 && taken <= 16) },
  'locked memory': { ended: 'ENOMEM', taken: 16 },
  inotify: { ended: 'ENOSYS', taken: 0 },
  'asynchronous requests': 'ENOSYS',
  'pairs of datagram sockets': 'ESOCKTNOSUPPORT',
  // Three messages with as many as one can have.
  'descriptors under way': { ended: 'ETOOMANYREFS', taken: 3 },
  pipes: 'taken',
  watches: { ended: 'EMFILE', taken: expect.toSatisfy((taken) => taken > 0 && taken < 512) },
  processes: { ended: 'EAGAIN', taken: expect.toSatisfy((taken) => taken > 0 && taken < 64) },
};

/** What an ordinary program finds where nobody beside it takes anything. */
const untouched = {
  'descriptors under way': 100,
  'a pipe': ['through', 65_536],
  'queued signals': 10,
  'a message queue': 'made',
  'locked memory': 'locked',
  watches: 100,
  'a child': 0,
};

/** Pipes are smaller then, and work. */
const withSmallPipes = { ...untouched, 'a pipe': ['through', expect.any(Number)] };

/** What THREAT_MODEL.md says that skills of one user can take from one another. */
const ofOneUser = { ...withSmallPipes, 'descriptors under way': 'ETOOMANYREFS' };

describe.each(callers)('as $name', (caller) => {
  let ground: Stage;
  let shared: string;

  beforeAll(async () => {
    ground = await stage(caller);
    shared = join(ground.folder, 'shared');
    await mkdir(shared);
    await giveTo(ground.program.skillUser, shared);
  });
  afterAll(() => ground.close());

  const isRoot = caller.name === 'root';

  describe.each([
    { name: 'that has no files of the host', write: [], neighbour: isRoot ? untouched : ofOneUser },
    { name: 'that has a folder of the host, as its neighbour has', write: ['granted'], neighbour: ofOneUser },
  ])('a skill $name', ({ write, neighbour }) => {
    let found: Awaited<ReturnType<typeof besideTaker>>;

    beforeAll(async () => {
      const folder = join(ground.folder, `writes-${write.length}`);
      found = await besideTaker(folder, { exec: ['python3'], filesystem: { write } });
    });

    test('takes its share of everything that is counted for a user, and no more', () => {
      expect(found.taken).toEqual(everything);
    });

    test('leaves its share to a skill beside it, which has the network', () => {
      expect(found.neighbour).toEqual(neighbour);
    });

    test('is not noticed by a program of the operator', () => {
      expect(found.operator).toEqual(isRoot ? untouched : withSmallPipes);
    });
  });

  /** What a skill takes and holds, and what others find meanwhile. */
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

/** The process of the host that has this name, unless `stop` says that there will be none. */
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

/** The neighbour's program as one of the daemon's own user, with as many descriptors as a login usually has. */
async function ofOperator(uid: number): Promise<unknown> {
  const start =
    'import os, resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024)); os.execv(sys.argv[1], sys.argv[1:])';
  const python = '/usr/bin/python3';
  const program = spawn(python, ['-c', start, python, join(attackScripts, 'counts_neighbour.py')], {
    ...{ stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' },
    ...(process.getuid?.() === 0 ? { uid, gid: uid } : {}),
  });
  program.stdin.end('{}');
  return JSON.parse(await text(program.stdout));
}
