import { expect, test } from 'vitest';
import { type Authentication, authenticate } from './authenticate.ts';

const key = `ambit_${'k'.repeat(43)}`;

test.each<[string, string | undefined, Authentication]>([
  ['the key is accepted', `Bearer ${key}`, 'accepted'],
  ['the scheme is compared without case', `bEARER ${key}`, 'accepted'],
  ['spaces around the key do not matter', `Bearer   ${key}  `, 'accepted'],
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
])('%s', (_, header, verdict) => {
  expect(authenticate(header, key)).toBe(verdict);
});
