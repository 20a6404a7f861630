// Threat model: T270, T272

import { expect, test } from 'vitest';
import { parseConfigFile } from './config-file.ts';
import { settingsSchema } from './settings.ts';

const schema = settingsSchema('/etc/ambit', '/home/ada');

function issuesOf(yaml: string): string[] {
  return parseConfigFile(Buffer.from(yaml), '/etc/ambit.yaml', schema).issues;
}

test('accepts a Unix socket, an IPv6 address, and plain connections', () => {
  for (const url of ['postgres://ambit@%2Frun%2Fpostgresql/ambit', 'postgresql://a@[::1]:5433/b'])
    expect(issuesOf(`store: { postgres: { url: '${url}', tls: false } }`)).toEqual([]);
});

test('refuses a URL with a password without repeating it', () => {
  expect(issuesOf("store: { postgres: { url: 'postgres://ambit:hunter2@db.example/ambit' } }")).toEqual([
    '/etc/ambit.yaml: store.postgres.url: it contains a password; remove it, store it under secrets, and name that secret in store.postgres.password',
  ]);
});

test.each([
  [
    'postgres://ambit@db.example/ambit?sslmode=disable',
    'it has parameters (after "?"); remove them, and write TLS and timeouts as keys of store.postgres',
  ],
  [
    'postgres://db.example/ambit',
    'it needs a user, a host and a database, as in postgres://ambit@db.example:5432/ambit',
  ],
  ['mysql://ambit@db.example/ambit', 'write a URL such as postgres://ambit@db.example:5432/ambit'],
])('refuses %s', (url, why) => {
  expect(issuesOf(`store: { postgres: { url: '${url}' } }`)).toEqual([
    `/etc/ambit.yaml: store.postgres.url: ${why}`,
  ]);
});
