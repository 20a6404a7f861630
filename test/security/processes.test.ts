import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  attackingSkill,
  execution,
  type Finding,
  findings,
  giveTo,
  type Stage,
  stage,
} from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { hostPython } from './support/host-python.ts';

const nobodyThere = 'ESRCH';

const attacks: [attack: string, got: unknown, permitted: unknown][] = [
  ['seeing processes of the host', [], ['bwrap', 'python3']],
  [
    'a signal to a process of the host that is the same user',
    [nobodyThere, nobodyThere, nobodyThere],
    'SIGKILL',
  ],
  ['a signal to the daemon', nobodyThere, null],
  ['a signal to a group of processes of the host', [nobodyThere, nobodyThere], 'SIGKILL'],
  ['a signal to everybody', nobodyThere, -15],
  // The kernel drops what the first process of a namespace does not listen for.
  ['a signal to the first process, which would end the sandbox from within', null, 1],
  [
    'a queued signal, a thread’s signal and a signal by descriptor',
    [nobodyThere, nobodyThere, nobodyThere, nobodyThere],
    0,
  ],
  ['a signal to who made the socket of its output, by a descriptor of him', 'EINVAL', 0],
  ['a signal by way of a descriptor’s owner', [nobodyThere, nobodyThere], true],
  [
    'waiting for, following or limiting a process of the host',
    ['ECHILD', nobodyThere, nobodyThere, nobodyThere],
    true,
  ],
  ['slowing down every process of the same user', nobodyThere, 15],
  ['pinning a process of the host to one processor', nobodyThere, null],
  ['settings of the whole kernel', [], 'Linux'],
  ['the kernel’s magic keys, interrupts and buses', [], 'written'],
  ['memory and settings of the first process', [], 'written'],
  ['cgroups of its own, to escape the resource limits', [false, false, false], true],
  ['a terminal of the daemon’s', 'ENXIO', true],
];

describe.each(callers)('as $name', (caller) => {
  let ground: Stage;
  let found: Record<string, Finding>;
  let victim: ChildProcess;

  beforeAll(async () => {
    ground = await stage(caller);
    const { folder, program } = ground;
    // With granted paths the skill runs as the user that the victim is.
    const skill = await attackingSkill(folder, 'processes.py', {
      capabilities: { exec: ['python3'], filesystem: { read: ['granted'] } },
    });
    victim = startVictim(program.skillUser);
    found = await findings(program, skill, {
      given: { victim: victim.pid, daemon: program.pid },
      grant: { filesystem: { read: [folder] } },
    });
  });
  afterAll(async () => {
    const gone = once(victim, 'exit');
    victim.kill('SIGKILL');
    await gone;
    await ground.close();
  });

  test.each(attacks)('%s', (name, attack, permitted) => {
    expect(found[name]).toEqual({ attack, permitted });
  });

  test('every attack of the script is one of these', () => {
    expect(Object.keys(found).sort()).toEqual(attacks.map(([name]) => name).sort());
  });

  test('the process of the host that they aimed at is as it was', async () => {
    const stat = await readFile(`/proc/${victim.pid}/stat`, 'utf8');
    const nice = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    expect({ exitCode: victim.exitCode, signalCode: victim.signalCode, nice }).toEqual({
      exitCode: null,
      signalCode: null,
      nice: 0,
    });
  });
});

/** A process of the host that is who the skills are, so that only namespaces can keep them from it. */
function startVictim(user: number): ChildProcess {
  const ids = process.getuid?.() === 0 ? { uid: user, gid: user } : {};
  return spawn('/bin/sleep', ['600'], { stdio: 'ignore', detached: true, cwd: '/', ...ids });
}

describe.each(callers)('living longer than the call, as $name', (caller) => {
  let ground: Stage;
  let skill: string;
  let locks: string;
  const run = { capabilities: { exec: ['python3'], filesystem: { write: ['granted'] } } };

  beforeAll(async () => {
    ground = await stage(caller);
    skill = await attackingSkill(ground.folder, 'outlive.py', run);
    locks = join(ground.folder, 'locks');
    await mkdir(locks);
    await giveTo(ground.program.skillUser, locks);
  });
  afterAll(() => ground.close());

  test.each([
    ['a daemon by double fork', { way: 'daemon' }, { status: 'succeeded', output: 'left' }, '', ['daemon']],
    [
      'a daemon by double fork that closes its output first',
      { way: 'daemon', closes: true },
      { status: 'succeeded', output: 'left' },
      '',
      ['daemon'],
    ],
    [
      'being deaf to every signal',
      { way: 'deaf' },
      { status: 'timed-out', timeoutMs: 700 },
      'deaf\n',
      ['deaf'],
    ],
    [
      'a process group of its own',
      { way: 'group' },
      { status: 'timed-out', timeoutMs: 700 },
      'in a group of its own\n',
      ['group', 'own-group'],
    ],
    [
      'many daemons, and a script that kills itself',
      { way: 'many' },
      { status: 'failed', failure: { exitCode: 137 }, stderr: '' },
      '',
      Array.from({ length: 8 }, (_, number) => `many-${number}`),
    ],
    [
      'stopping, so that no deadline wakes it',
      { way: 'stopped' },
      { status: 'timed-out', timeoutMs: 700 },
      'about to stop\n',
      ['stopped'],
    ],
  ])('%s', async (_, given, outcome, log, held) => {
    const ran = await execution(ground.program, skill, {
      given: { ...given, folder: locks },
      grant: { filesystem: { write: [locks] } },
      narrowing: { limits: { timeoutMs: 700 } },
    });
    expect({ outcome: ran.outcome, log: ran.log, stillHeld: await stillHeld(locks, held) }).toEqual({
      outcome,
      log,
      // Each lock was taken, which is the twin, and its holder is gone.
      stillHeld: Object.fromEntries(held.map((name) => [name, false])),
    });
  });
});

/** Whether the locks of these names still have a holder; throws when one was never taken. */
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
