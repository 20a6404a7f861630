// Threat model: T41, T63

import { randomUUID } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type AttackTable, attackingSkill, findings, stage, testAttacks } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { type Listener, listening } from './support/listener.ts';

const run = { capabilities: { exec: ['python3'], filesystem: { write: ['workspace'] } } };

const attacks: AttackTable = [
  ['by a host path', 'ENOENT', 'connected'],
  ['by an abstract name', 'ECONNREFUSED', 'connected'],
  ['with datagrams, whose senders can hold uncounted descriptors', 'ESOCKTNOSUPPORT', 'connected'],
];

describe.each(callers)('Unix sockets for a skill without granted paths, as $name', (caller) => {
  const ground = stage(caller);
  const listeners: Record<string, Listener> = {};

  testAttacks(attacks, async () => {
    const { folder, program } = ground;
    const skill = await attackingSkill(folder, 'unix_sockets.py', run);
    await mkdir(join(folder, 'hidden'));
    const hidden = join(folder, 'hidden/socket');
    const abstract = `ambit-security-${randomUUID()}`;
    listeners['hidden'] = await listening({ path: hidden });
    listeners['abstract'] = await listening({ path: `\0${abstract}` });
    // Accessible to all users, so that only the sandbox can refuse.
    await chmod(hidden, 0o777);
    return findings(program, skill, { given: { hidden, abstract } });
  });
  afterAll(async () => {
    for (const listener of Object.values(listeners)) listener.close();
  });

  test.each(['hidden', 'abstract'])('the listener %s hears only the host', async (name) => {
    const listener = listeners[name];
    await listener?.speak();
    expect(listener?.heard).toEqual(['from outside']);
  });
});
