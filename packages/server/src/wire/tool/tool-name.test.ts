// Threat model: T134

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { toolName } from './tool-name.ts';

const digestOf = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 32);
const [n31, s31] = ['n'.repeat(31), 's'.repeat(31)];

test.each([
  ['docx', 'docx'],
  ['acme:docx', 'acme__docx'],
  ['s'.repeat(64), 's'.repeat(64)],
  [`${n31}:${s31}`, `${n31}__${s31}`],
])('the tool of %s has the name %s', (id, name) => {
  expect(toolName(id)).toBe(name);
});

test('a name of more than 64 characters keeps its beginning and ends with a digest of the id', () => {
  const id = `acme:${s31}${s31}`;
  expect(toolName(id)).toBe(`acme__${'s'.repeat(25)}_${digestOf(id)}`);
});

test('no two ids have one name, even if one is chosen for that, and all names are usual ones', () => {
  const namespaces = [28, 29, 30, 31, 32, 64].map((length) => 'n'.repeat(length));
  const ids = namespaces.flatMap((namespace) => {
    const long = `${namespace}:${'s'.repeat(63)}`;
    return [`${long}a`, `${long}b`, `${namespace}:${digestOf(`${long}a`)}`, namespace];
  });
  const names = ids.map(toolName);
  expect(new Set(names).size).toBe(ids.length);
  expect(names.filter((name) => !/^[a-z0-9_-]{1,64}$/.test(name))).toEqual([]);
});
