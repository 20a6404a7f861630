// Threat model: T237

import { expect, test } from 'vitest';
import { authenticate, keyDigest } from './authenticate.ts';

const key = `ambit_${'k'.repeat(43)}`;
const [first, second] = [
  { name: 'first', digest: keyDigest('another key, which is long enough') },
  { name: 'second', digest: keyDigest(key) },
];

test.each<[string, string | undefined, string]>([
  ['accepts a known key', `Bearer ${key}`, 'second'],
  ['accepts any case of the scheme', `bEARER ${key}`, 'second'],
  ['ignores spaces around the key', `Bearer   ${key}  `, 'second'],
  ['reports no header as a missing key', undefined, 'missing'],
  ['reports an empty header as a missing key', '', 'missing'],
  ['reports another scheme as malformed', `Basic ${key}`, 'malformed'],
  ['reports a key without a scheme as malformed', key, 'malformed'],
  ['reports a scheme without a key as malformed', 'Bearer ', 'malformed'],
  ['reports two keys as malformed', `Bearer ${key} ${key}`, 'malformed'],
  ['reports characters that no key has as malformed', `Bearer ${key}\u00e9`, 'malformed'],
  ['reports a prefix of the key as wrong', `Bearer ${key.slice(0, -1)}`, 'wrong'],
  ['reports a longer key as wrong', `Bearer ${key}k`, 'wrong'],
  ['reports the key in another case as wrong', `Bearer ${key.toUpperCase()}`, 'wrong'],
  ['reports the digest of the key as wrong', `Bearer ${keyDigest(key).toString('hex')}`, 'wrong'],
])('%s', (_, header, verdict) => {
  const presented = authenticate(header, [first, second]);
  expect(presented.status === 'known' ? presented.key.name : presented.status).toBe(verdict);
});

test('reports every key as wrong if there are none', () => {
  expect(authenticate(`Bearer ${key}`, [])).toEqual({ status: 'wrong' });
});
