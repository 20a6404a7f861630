// Threat model: T105

import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { attackingSkill, findings, stage } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { makePipes } from './support/host-python.ts';

const run = { capabilities: { exec: ['python3'], filesystem: { write: ['workspace', 'granted'] } } };

/**
 * The results of looking for its own marks. A kernel filter may refuse the script its own sockets.
 */
const local = expect.toBeOneOf(['planted', 'EAFNOSUPPORT', 'EPERM']);
const own = {
  files: ['/tmp/planted', '/workspace/planted', '/dev/shm/planted'],
  'System V memory': 'planted',
  'System V semaphores': true,
  'System V messages': true,
  'POSIX messages': true,
  'a port': 'planted',
  // Its own three: the first process, itself, and the listener.
  processes: [1, 2, 3],
  'System V tables': 3,
  mail: ['letter'],
  'an abstract name': local,
  'a socket in /tmp': local,
};

const nothing = {
  files: [],
  'System V memory': 'ENOENT',
  'System V semaphores': false,
  'System V messages': false,
  'POSIX messages': false,
  'a port': 'ECONNREFUSED',
  processes: [1, 2],
  'System V tables': 0,
  'an abstract name': expect.toBeOneOf(['ECONNREFUSED', 'EAFNOSUPPORT', 'EPERM']),
  'a socket in /tmp': expect.toBeOneOf(['ENOENT', 'EAFNOSUPPORT', 'EPERM']),
};

type Seen = Record<string, unknown>;

describe.each(callers)('as $name', (caller) => {
  const ground = stage(caller);
  let seen: { planting: Seen; looking: Seen; 'coming after': Seen };

  beforeAll(async () => {
    const { folder, program } = ground;
    const skill = await attackingSkill(folder, 'neighbour.py', run);
    const meeting = join(folder, 'meeting');
    await mkdir(meeting);
    await chmod(meeting, 0o777);
    await makePipes(join(meeting, 'planted'), join(meeting, 'looked'));
    const play = async (part: string): Promise<Seen> =>
      findings(program, skill, { given: { part, meeting }, grant: { filesystem: { write: [meeting] } } });
    const [planting, looking] = await Promise.all([play('planting'), play('looking')]);
    seen = { planting, looking, 'coming after': await play('coming after') };
  });

  test.each(Object.keys(own))('a call finds the mark that it planted: %s', (what) => {
    expect(seen.planting[what]).toEqual(own[what as keyof typeof own]);
  });

  test.each(Object.keys(nothing))('a parallel call does not find the mark of another call: %s', (what) => {
    expect(seen.looking[what]).toEqual(nothing[what as keyof typeof nothing]);
  });

  test.each(Object.keys(nothing))('the next call does not find the mark of an earlier call: %s', (what) => {
    expect(seen['coming after'][what]).toEqual(nothing[what as keyof typeof nothing]);
  });

  test('both calls ran in parallel and shared a granted path', () => {
    expect([seen.looking['mail'], seen['coming after']['mail']]).toEqual([['letter'], ['letter']]);
  });
});
