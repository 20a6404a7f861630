import { expect, test } from 'vitest';
import { authenticate, keyDigest } from './authenticate.ts';

const key = `ambit_${'k'.repeat(43)}`;
const [first, second] = [
  { name: 'first', digest: keyDigest('another key, which is long enough') },
  { name: 'second', digest: keyDigest(key) },
];

test.each<[string, string | undefined, string]>([
  ['the key is known', `Bearer ${key}`, 'second'],
  ['the scheme is compared without case', `bEARER ${key}`, 'second'],
  ['spaces around the key do not matter', `Bearer   ${key}  `, 'second'],
  ['no header is a missing key', undefined, 'missing'],
  ['an empty header is a missing key', '', 'missing'],
  ['another scheme is malformed', `Basic ${key}`, 'malformed'],
  ['a key without a scheme is malformed', key, 'malformed'],
  ['a scheme without a key is malformed', 'Bearer ', 'malformed'],
  ['two keys are malformed', `Bearer ${key} ${key}`, 'malformed'],
  ['what cannot be in a key is malformed', `Bearer ${key}\u00e9`, 'malformed'],
  ['a key that begins like the key is wrong', `Bearer ${key.slice(0, -1)}`, 'wrong'],
  ['a key that goes on after the key is wrong', `Bearer ${key}k`, 'wrong'],
  ['a key in another case is wrong', `Bearer ${key.toUpperCase()}`, 'wrong'],
  ['the digest of a key is no key', `Bearer ${keyDigest(key).toString('hex')}`, 'wrong'],
])('%s', (_, header, verdict) => {
  const presented = authenticate(header, [first, second]);
  expect(presented.status === 'known' ? presented.key.name : presented.status).toBe(verdict);
});

test('where there are no keys every one is wrong', () => {
  expect(authenticate(`Bearer ${key}`, [])).toEqual({ status: 'wrong' });
});
