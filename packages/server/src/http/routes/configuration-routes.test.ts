import { expect, test } from 'vitest';
import type { KeyRecord } from '../../auth/key-record.ts';
import { authorization, httpWorld, skillOf } from '../testing/http-world.ts';

const headers = { host: 'localhost:7433', authorization };
const createdAt = '2026-03-01T00:00:00Z';
const bot: KeyRecord = { name: 'bot', scopes: ['prompt'], sha256: 'a'.repeat(64), createdAt };

test('lists keys with their rights, without their digests', async () => {
  const { app } = httpWorld({ keys: [{ record: bot, status: 'expired' }] });
  const { keys } = (await app.inject({ url: '/keys', headers })).json();
  expect(keys).toEqual([
    { name: 'first', status: 'good', scopes: ['admin'] },
    { name: 'bot', status: 'expired', scopes: ['prompt'], createdAt },
  ]);
});

test('shows each value of the configuration with its origin, and of secrets the names', async () => {
  const { app } = httpWorld({
    configurationValues: [
      { key: 'listen.port', value: 7433, origin: 'default' },
      { key: 'secrets.TOKEN', value: { env: 'TOKEN' }, origin: 'file:/srv/ambit.config.yaml' },
    ],
  });
  expect((await app.inject({ url: '/configuration', headers })).json()).toEqual({
    values: [
      { key: 'listen.port', value: 7433, origin: 'default' },
      { key: 'secrets.TOKEN', value: null, origin: 'file:/srv/ambit.config.yaml' },
    ],
  });
});

test('says which rule decides about a capability of a call, also for a key', async () => {
  const { app, rights } = httpWorld({
    skills: [
      skillOf('web', 'run: { runtime: wasm, entry: a.wasm, capabilities: { network: [api.example] } }'),
      skillOf('words', ''),
    ],
  });
  const decide = async (
    skill: string,
    more: object = {},
    capability: object = { kind: 'network', item: 'api.example' },
  ) =>
    (
      await app.inject({
        method: 'POST',
        url: '/policy/decide',
        headers,
        payload: { skill, capability, ...more },
      })
    ).json();
  expect(await decide('web')).toEqual({
    allowed: false,
    rule: 'policy',
    because: 'network api.example is not granted',
    remedy: 'grants: { web: { network: [api.example] } }',
  });
  expect(await decide('web', {}, { kind: 'exec', item: 'git' })).toMatchObject({ allowed: false });
  rights.skills = new Set(['other']);
  rights.actor = 'bot';
  rights.scopes = ['skills:execute', 'admin'];
  expect(await decide('web', { key: 'bot' })).toEqual({
    allowed: false,
    rule: 'key',
    because: 'the key bot is bound to other',
    remedy: 'use another key, or ask the operator for one',
  });
  rights.skills = undefined;
  expect(await decide('web', { key: 'none' })).toMatchObject({
    code: 'REQUEST_INVALID',
    detail: 'the key "none" does not exist; GET /keys lists the keys',
  });
  for (const capability of [
    { kind: 'exec', item: '/bin/git' },
    { kind: 'host', item: 'yes' },
    { kind: 'state', item: 'none' },
  ])
    expect(await decide('web', {}, capability)).toMatchObject({ code: 'REQUEST_INVALID' });
  expect(await decide('web', {}, { kind: 'host', item: 'true' })).toMatchObject({ allowed: false });
  expect(await decide('words')).toMatchObject({ code: 'SKILL_NOT_EXECUTABLE' });
});
