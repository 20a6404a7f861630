// Threat model: T47, T62, T88

import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type AttackTable, attackingSkill, findings, stage, testAttacks } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { type Listener, listening } from './support/listener.ts';

const run = { capabilities: { exec: ['python3'], filesystem: { read: ['granted'] } } };

/** Whether this machine has IPv6, as Linux reports it. */
const ipv6 = /^0{31}1 /m.test(readFileIfThere('/proc/net/if_inet6'));

const noSuchFamily = 'EAFNOSUPPORT';
const noSuchType = 'ESOCKTNOSUPPORT';
const noSuchProtocol = 'EPROTONOSUPPORT';
/** Errors for a missing path, no listener, and a refused connection. */
const noWay = expect.toBeOneOf(['ENOENT', 'ECONNREFUSED', 'EACCES', 'EPERM', noSuchFamily]);
const aPair = 'between two of its own';

const attacks: AttackTable = [
  ['TCP over IPv4', 'ECONNREFUSED', 'connected'],
  ['TCP over IPv6', ipv6 ? 'ECONNREFUSED' : expect.any(String), ipv6 ? 'connected' : expect.any(String)],
  [
    'TCP to an IPv4 address inside an IPv6 one',
    ipv6 ? 'ECONNREFUSED' : expect.any(String),
    ipv6 ? 'connected' : expect.any(String),
  ],
  ['TCP with data in its first packet', 'ECONNREFUSED', 'connected'],
  ['UDP', 'ECONNREFUSED', 'from inside'],
  ['a DNS query with a secret in the name', 'ECONNREFUSED', [false, 'hosts: files']],
  ['a Unix socket whose path was not granted', noWay, aPair],
  ['a Unix socket in a path granted for reading', noWay, [true, aPair]],
  ['a datagram to a Unix socket in a path granted for reading', noWay, aPair],
  ['a Unix socket with an abstract name', noWay, aPair],
  ['the abstract names and paths of the host’s sockets', [], 'Num'],
  ['a new network interface', 'EPERM', 'answered'],
  ['a new address', 'EPERM', 'answered'],
  ['a new route', 'EPERM', 'answered'],
  ['a firewall rule', noSuchProtocol, 'answered'],
  ['taking an interface up or down', ['EPERM', 'EPERM'], 1],
  ['network interfaces other than its own loopback', [], ['lo']],
  ['raw IP packets', [noSuchType, noSuchType, noSuchType], 'from inside'],
  ['an echo request', noSuchProtocol, 'from inside'],
  ['raw packets below IP', noSuchFamily, 'opened'],
  ['a socket to the hypervisor (vsock)', noSuchFamily, 'opened'],
  ['socket families that namespaces do not separate', [noSuchFamily], 'opened'],
  [
    'protocols and netlink families that load a module, and MPTCP',
    [noSuchProtocol],
    ['opened', 'opened', 'opened'],
  ],
  ['socket types that need privileges or load a module', [noSuchType], 'opened'],
  ['interface requests that load a driver', ['EPERM'], 40],
  ['socket pairs with descriptors that the kernel has not counted', [noSuchType], 'opened'],
  ['socket pairs of those families, which are created before they are refused', [noSuchFamily], 'opened'],
  ['the daemon’s process id, from the socket of the skill’s output', 0, aPair],
];

describe.each(callers)('as $name', (caller) => {
  const ground = stage(caller);
  const listeners: Record<string, Listener> = {};

  testAttacks(attacks, async () => {
    const { folder, program } = ground;
    const skill = await attackingSkill(folder, 'network.py', run);
    for (const name of ['hidden', 'granted']) await mkdir(join(folder, name));
    const paths = { hidden: join(folder, 'hidden/socket'), readable: join(folder, 'granted/socket') };
    const abstract = `ambit-security-${randomUUID()}`;
    listeners['tcp4'] = await listening({ host: '127.0.0.1', port: 0 });
    if (ipv6) listeners['tcp6'] = await listening({ host: '::1', port: 0 });
    listeners['udp'] = await receiving();
    listeners['hidden'] = await listening({ path: paths.hidden });
    listeners['readable'] = await listening({ path: paths.readable });
    listeners['abstract'] = await listening({ path: `\0${abstract}` });
    // Accessible to all users, so that only the sandbox can refuse.
    for (const path of Object.values(paths)) await chmod(path, 0o777);
    return findings(program, skill, {
      given: {
        tcp4: listeners['tcp4'].port,
        tcp6: listeners['tcp6']?.port ?? 9,
        udp: listeners['udp'].port,
        hiddenSocket: paths.hidden,
        readableSocket: paths.readable,
        readableDatagram: paths.readable,
        abstract,
      },
      grant: { filesystem: { read: [join(folder, 'granted')] } },
    });
  });
  afterAll(async () => {
    for (const listener of Object.values(listeners)) listener.close();
  });

  // The permitted twin of all attacks: each listener hears the host.
  test.each(['tcp4', 'tcp6', 'udp', 'hidden', 'readable', 'abstract'])(
    'the listener %s hears only the host',
    async (name) => {
      const listener = listeners[name];
      await listener?.speak();
      expect(listener?.heard).toEqual(name === 'tcp6' && !ipv6 ? undefined : ['from outside']);
    },
  );
});

async function receiving(): Promise<Listener> {
  const heard: string[] = [];
  const server = createSocket('udp4', (data) => heard.push(String(data)));
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  return {
    port,
    heard,
    async speak() {
      const client = createSocket('udp4');
      client.send('from outside', port, '127.0.0.1');
      await once(server, 'message');
      client.close();
    },
    close: () => server.close(),
  };
}

function readFileIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
