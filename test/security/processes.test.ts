// Threat model: T102

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atDeadline } from '../../packages/runtime/src/testing/at-deadline.ts';
import {
  type AttackTable,
  attackingSkill,
  execution,
  findings,
  giveTo,
  stage,
  testAttacks,
} from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { hostPython } from './support/host-python.ts';

const nobodyThere = 'ESRCH';

const attacks: AttackTable = [
  ['listing host processes', [], ['bwrap', 'python3']],
  ['a signal to a host process of the same user', [nobodyThere, nobodyThere, nobodyThere], 'SIGKILL'],
  ['a signal to the daemon', nobodyThere, null],
  ['a signal to a host process group', [nobodyThere, nobodyThere], 'SIGKILL'],
  ['a signal to all processes', nobodyThere, -15],
  // The kernel drops signals that the first process of a namespace does not handle.
  ['a signal to the first process, which would end the sandbox', null, 1],
  [
    'a queued signal, a signal to a thread and a signal through a pidfd',
    [nobodyThere, nobodyThere, nobodyThere, nobodyThere],
    0,
  ],
  ['a signal to the creator of its output socket, through a pidfd', 'EINVAL', 0],
  ['a signal through a descriptor’s owner', [nobodyThere, nobodyThere], true],
  [
    'waiting for, tracing or limiting a host process',
    ['ECHILD', nobodyThere, nobodyThere, nobodyThere],
    true,
  ],
  ['slowing down every process of the same user', nobodyThere, 19],
  ['pinning a host process to one processor', nobodyThere, null],
  ['kernel settings', [], 'Linux'],
  ['the kernel’s SysRq, interrupts and buses', [], 'written'],
  ['memory and settings of the first process', [], 'written'],
  ['cgroups of its own, to escape the resource limits', [false, false, false], true],
  ['the daemon’s terminal', 'ENXIO', true],
];

describe.each(callers)('as $name', (caller) => {
  const ground = stage(caller);
  let victim: ChildProcess;

  testAttacks(attacks, async () => {
    const { folder, program } = ground;
    // With granted paths, the skill runs as the victim's user.
    const skill = await attackingSkill(folder, 'processes.py', {
      capabilities: { exec: ['python3'], filesystem: { read: ['granted'] } },
    });
    victim = startVictim(program.skillUser);
    return findings(program, skill, {
      given: { victim: victim.pid, daemon: program.pid },
      grant: { filesystem: { read: [folder] } },
    });
  });
  afterAll(async () => {
    const gone = once(victim, 'exit');
    victim.kill('SIGKILL');
    await gone;
  });

  test('the attacked host process is unchanged', () => {
    const { exitCode, signalCode, pid } = victim;
    expect({ exitCode, signalCode, niceness: getPriority(pid) }).toEqual({
      exitCode: null,
      signalCode: null,
      niceness: getPriority(),
    });
  });
});

/** A host process of the same user as the skills, so that only namespaces protect it. */
function startVictim(user: number): ChildProcess {
  const ids = process.getuid?.() === 0 ? { uid: user, gid: user } : {};
  return spawn('/bin/sleep', ['600'], { stdio: 'ignore', detached: true, cwd: '/', ...ids });
}

const timedOut = { status: 'timed-out', timeoutMs: expect.any(Number) };

describe.each(callers)('living longer than the call, as $name', (caller) => {
  const ground = stage(caller);
  let skill: string;
  let locks: string;
  const run = { capabilities: { exec: ['python3'], filesystem: { write: ['granted'] } } };

  beforeAll(async () => {
    skill = await attackingSkill(ground.folder, 'outlive.py', run);
    locks = join(ground.folder, 'locks');
    await mkdir(locks);
    await giveTo(ground.program.skillUser, locks);
  });

  test.each([
    [
      'a daemon through a double fork',
      { way: 'daemon' },
      { status: 'succeeded', output: 'left' },
      '',
      ['daemon'],
    ],
    [
      'a daemon through a double fork that closes its output first',
      { way: 'daemon', closes: true },
      { status: 'succeeded', output: 'left' },
      '',
      ['daemon'],
    ],
    ['ignoring every signal', { way: 'deaf' }, timedOut, 'deaf\n', ['deaf']],
    ['its own process group', { way: 'group' }, timedOut, 'in a group of its own\n', ['group', 'own-group']],
    [
      'many daemons, and a script that kills itself',
      { way: 'many' },
      { status: 'failed', failure: { exitCode: 137 }, stderr: '' },
      '',
      Array.from({ length: 8 }, (_, number) => `many-${number}`),
    ],
    ['stopping itself before the deadline', { way: 'stopped' }, timedOut, 'about to stop\n', ['stopped']],
  ])('no process outlives the call: %s', async (_, given, outcome, log, held) => {
    const run = (timeoutMs: number) =>
      execution(ground.program, skill, {
        given: { ...given, folder: locks },
        grant: { filesystem: { write: [locks] } },
        narrowing: { limits: { timeoutMs } },
      });
    // Only programs that never end wait for their deadline.
    const ran =
      outcome === timedOut ? (await atDeadline(run, ({ log }) => log !== '')).result : await run(60_000);
    expect({ outcome: ran.outcome, log: ran.log, stillHeld: await stillHeld(locks, held) }).toEqual({
      outcome,
      log,
      // Each lock was taken, which is the permitted twin, and its holder has ended.
      stillHeld: Object.fromEntries(held.map((name) => [name, false])),
    });
  });
});

/** Whether the locks of these names still have a holder; throws if one was never taken. */
async function stillHeld(folder: string, names: readonly string[]): Promise<Record<string, boolean>> {
  const script = `
import fcntl, json, os, sys
def held(path):
    with open(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    os.unlink(path)
    return False
print(json.dumps({name: held(os.path.join(sys.argv[1], name)) for name in sys.argv[2:]}))
`;
  return JSON.parse(await hostPython(script, folder, ...names));
}
