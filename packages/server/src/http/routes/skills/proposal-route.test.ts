import { noCapabilities } from '@ambit/core/policy';
import { expect, test } from 'vitest';
import { authorization, httpWorld, skillOf } from '../../testing/http-world.ts';
import { aRecord } from '../../testing/log-answers.ts';

const headers = { host: 'localhost:7433', authorization };
const skills = [skillOf('counter', 'run: { runtime: wasm, entry: a.wasm, capabilities: { env: [TZ] } }')];
const { startedAt: at } = aRecord;

/** A call that was refused before it ran. */
const refused = {
  ...aRecord,
  outcome: 'denied' as const,
  capabilities: {
    requested: { ...noCapabilities, env: ['TZ'] },
    granted: null,
    denied: [{ capability: 'env' as const, requested: 'TZ', reason: 'is not granted', remedy: 'r' }],
  },
};

test('reads at most 1000 records', async () => {
  const page = { records: Array.from({ length: 200 }, () => refused), next: 7 };
  const { app, queries } = httpWorld({ skills, page });
  const { records, items } = (await app.inject({ url: '/skills/counter/proposal', headers })).json();
  expect([records, items.length, queries.length]).toEqual([
    { count: 1000, refused: 1, first: at, last: at, more: true, cut: false },
    ...[1, 5],
  ]);
});

test('a key for other skills learns nothing', async () => {
  const rights = { scopes: ['audit:read' as const], skills: new Set(['other']) };
  const { app, queries } = httpWorld({ skills, rights });
  const answer = await app.inject({ url: '/skills/counter/proposal', headers });
  expect([answer.statusCode, answer.json().code, queries]).toEqual([404, 'SKILL_NOT_FOUND', []]);
});
