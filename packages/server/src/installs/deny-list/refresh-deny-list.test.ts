// Threat model: T150, T151

import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { auditKey } from '../../audit/sign/audit-key.ts';
import { signedWorld } from '../publishers/testing/signed-world.ts';
import { type DenyList, denyListStatement } from './deny-list.ts';

/** An approved skill, a key, and a server with a deny list. */
async function listWorld() {
  const it = await signedWorld();
  await it.sign();
  const digest = (await it.add()).skills[0]?.digest ?? '';
  await it.approve();
  const served = { body: '', moved: undefined as string | undefined };
  const server = createServer((_, response) => {
    if (served.moved !== undefined) response.writeHead(302, { location: served.moved }).end();
    else response.end(served.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const key = auditKey(generateKeyPairSync('ed25519').privateKey);
  const keyFile = join(it.folder, 'list.pub');
  await writeFile(keyFile, key.publicKey);
  const denyList = { url: `${origin}/deny.json`, ed25519: keyFile, refreshSeconds: 3600 };
  const { installs } = it.config;
  it.configure({ installs: { ...installs, network: [origin], denyList } });
  const entry = (subject: string) => ({ subject, reason: 'it lies' });
  return {
    ...{ it, digest, served, server, keyFile, entry, denyList },
    signed: (list: DenyList, by = key) => JSON.stringify(by.sign(denyListStatement(list))),
    serve(list: DenyList) {
      served.body = JSON.stringify(key.sign(denyListStatement(list)));
    },
    refresh: () => it.installs.refreshDenyList(it.asker.signal),
    kinds: () => it.events.map(({ kind }) => kind).filter((kind) => kind.startsWith('denylist.')),
  };
}

test('a new entry refuses an installed skill, is recorded once, and stays when the list drops it', async () => {
  const { it, digest, serve, refresh, entry, kinds, denyList } = await listWorld();
  serve({ serial: 1, deny: [entry(`sha256:${'0'.repeat(64)}`)] });
  expect(await refresh()).toEqual({ url: denyList.url, serial: 1, added: 1, skills: [], problem: null });
  expect(await it.inForce()).toBe('verified');
  serve({ serial: 2, deny: [entry(digest)] });
  expect(await refresh()).toMatchObject({ serial: 2, added: 1, skills: ['acme:forms'], problem: null });
  expect(await it.inForce()).toBe('SKILL_REVOKED');
  expect(await refresh()).toMatchObject({ serial: 2, added: 0, problem: null });
  serve({ serial: 3, deny: [] });
  expect(await refresh()).toMatchObject({ serial: 3, added: 0, problem: null });
  expect(await it.inForce()).toBe('SKILL_REVOKED');
  expect(kinds()).toEqual(['denylist.applied', 'denylist.applied']);
  expect(it.events.findLast(({ kind }) => kind === 'denylist.applied')).toMatchObject({
    ...{ serial: 2, added: 1, skills: ['acme:forms'] },
  });
});

test('a publisher can be listed, and an operator can restore what a list denies', async () => {
  const { it, serve, refresh, entry } = await listWorld();
  serve({ serial: 1, deny: [entry('publisher:acme')] });
  expect(await refresh()).toMatchObject({ added: 1, skills: ['acme:forms'] });
  expect(await it.inForce()).toBe('SKILL_REVOKED');
  await it.installs.restore('publisher:acme', it.asker);
  serve({ serial: 2, deny: [entry('publisher:acme')] });
  expect(await refresh()).toMatchObject({ serial: 2, added: 0 });
  expect(await it.inForce()).toBe('verified');
});

test('a list does not take back what the operator revoked', async () => {
  const { it, digest, serve, refresh, entry } = await listWorld();
  await it.installs.revoke(digest, 'own reason', it.asker);
  serve({ serial: 1, deny: [entry(digest)] });
  expect(await refresh()).toMatchObject({ added: 0 });
  serve({ serial: 2, deny: [] });
  await refresh();
  expect(await it.inForce()).toBe('SKILL_REVOKED');
});

type World = Awaited<ReturnType<typeof listWorld>>;

test.each<[string, (world: World) => unknown, string]>([
  [
    'with an older serial',
    ({ served, signed, entry, digest }) => {
      served.body = signed({ serial: 4, deny: [entry(digest)] });
    },
    'has the serial 4, and 5 is in force',
  ],
  [
    'that changed without a new serial',
    ({ served, signed, entry, digest }) => {
      served.body = signed({ serial: 5, deny: [entry(digest)] });
    },
    'has changed without a new serial',
  ],
  [
    'by another key',
    ({ served, signed, entry, digest }) => {
      const other = auditKey(generateKeyPairSync('ed25519').privateKey);
      served.body = signed({ serial: 6, deny: [entry(digest)] }, other);
    },
    'signature that is not valid',
  ],
  [
    'whose content was changed',
    ({ served, signed, entry, digest }) => {
      const list = JSON.parse(signed({ serial: 6, deny: [] })) as { statement: DenyList };
      list.statement.deny.push(entry(digest));
      served.body = JSON.stringify(list);
    },
    'signature that is not valid',
  ],
  [
    'cut short',
    ({ served, signed, entry, digest }) => {
      served.body = signed({ serial: 6, deny: [entry(digest)] }).slice(0, -5);
    },
    'may be cut short',
  ],
  [
    'that is too large',
    ({ served }) => {
      served.body = ' '.repeat(4 * 1024 * 1024 + 1);
    },
    'SOURCE_TOO_LARGE',
  ],
  [
    'with an unknown member',
    ({ served, signed }) => {
      served.body = signed({ serial: 6, deny: [], allow: ['all'] } as DenyList);
    },
    'is not a signed deny list',
  ],
  [
    'at a redirect to a host that is not allowed',
    ({ served }) => {
      served.moved = 'http://127.0.0.2:9/deny.json';
    },
    'SOURCE_NOT_ALLOWED',
  ],
  ['of a server that is gone', ({ server }) => server.close(), 'SOURCE_UNREACHABLE'],
  ['whose key cannot be read', ({ keyFile }) => rm(keyFile), 'cannot be verified: its key'],
])('a list %s changes nothing, and says why; the last one stays in force', async (kind, spoil, why) => {
  const world = await listWorld();
  const { it, digest, serve, refresh, entry, kinds } = world;
  const listed = `sha256:${'0'.repeat(64)}`;
  serve({ serial: 5, deny: [entry(listed)] });
  expect(await refresh()).toMatchObject({ serial: 5, added: 1, problem: null });
  await spoil(world);
  const check = await refresh();
  expect(check).toMatchObject({ serial: null, added: 0, skills: [] });
  expect(check?.problem).toContain(why);
  expect(await it.inForce()).toBe('verified');
  expect(await it.installs.restore(listed, it.asker)).toMatchObject({ subject: listed });
  const isRefusedList = !/SOURCE_UNREACHABLE|SOURCE_NOT_ALLOWED|SOURCE_TOO_LARGE|its key/.test(why);
  expect(kinds()).toEqual(isRefusedList ? ['denylist.applied', 'denylist.refused'] : ['denylist.applied']);
  // The same refusal is recorded once.
  await refresh();
  expect(kinds()).toHaveLength(isRefusedList ? 2 : 1);
  if (kind === 'of a server that is gone' || kind === 'whose key cannot be read') return;
  world.served.moved = undefined;
  serve({ serial: 7, deny: [entry(digest)] });
  expect(await refresh()).toMatchObject({ serial: 7, added: 1, problem: null });
  expect(await it.inForce()).toBe('SKILL_REVOKED');
});
