// Threat model: T133

import { expect, test } from 'vitest';
import type { Lock } from '../lock/lock-file.ts';
import { namespaceOf, otherSources, requireOwnNamespace } from './namespace.ts';

test.each([
  ['acme/skills#v1:docs', 'acme'],
  ['https://git.example/Acme_Inc/skills', 'acme-inc'],
  ['https://a.example/skills.zip', 'a-example'],
  ['/home/ada/My Skills', 'my-skills'],
  ['./skills.tar.gz', 'skills'],
  ['https://a.example', 'a-example'],
  ['https://a.example/.well-known/agent-skills/index.json', 'a-example'],
  ['oci://registry.example:5000/acme/forms:v1', 'acme'],
  ['oci://registry.example/forms@sha256:0', 'registry-example'],
  ['mcp+https://a.example/mcp', 'a-example'],
])('%s gives the namespace %s', (typed, namespace) => {
  expect(namespaceOf(typed)).toBe(namespace);
});

test('a source without a letter or digit gives no namespace', () => {
  expect(() => namespaceOf('/')).toThrow(expect.objectContaining({ code: 'SOURCE_UNSUPPORTED' }));
});

/** A lock file with a skill in the namespace `acme` from each source. */
function lockOf(...sources: readonly string[]): Lock {
  const skills = sources.map((source, at) => [`acme:s${at}`, { source }]);
  return { version: 1, skills: Object.fromEntries(skills) as Lock['skills'] };
}

const taken = expect.objectContaining({ code: 'NAMESPACE_TAKEN' });

test.each([
  ['acme/skills', 'https://evil.example/acme/x'],
  ['acme/skills', 'https://github.com.evil.example/acme/x'],
  ['acme/skills', 'oci://evil.example/acme/x:v1'],
  ['acme/skills', 'mcp+https://evil.example/acme/mcp'],
  ['acme/skills', 'https://acme'],
  ['acme/skills', 'https://github.com:8443/acme/skills'],
  ['acme/skills', '/srv/acme'],
  ['/srv/acme', 'acme/skills'],
  ['https://git.example/ACME.inc/x', 'https://git.example/acme-inc/x'],
])('skills of %s keep their namespace from %s', (installed, source) => {
  expect(() => requireOwnNamespace(lockOf(installed), 'acme', source)).toThrow(taken);
  expect(otherSources(lockOf(installed, source), 'acme', source)).toEqual([installed]);
});

test.each([
  ['acme/skills', 'https://GitHub.com/acme/other.git#v2:docs'],
  ['acme/skills', 'acme/skills'],
  ['oci://a.example/acme/forms:v1', 'https://a.example/acme/skills.zip'],
  ['https://a.example', 'https://a.example/.well-known/agent-skills/index.json'],
  ['https://a.example/skills.zip', 'https://a.example/more.zip'],
  ['/srv/acme', '/home/ada/acme'],
])('skills of %s share their namespace with %s', (installed, source) => {
  expect(() => requireOwnNamespace(lockOf(installed), 'acme', source)).not.toThrow();
  expect(otherSources(lockOf(installed), 'acme', source)).toEqual([]);
});

test('a namespace that is free, or that an operator chose for this owner, is used', () => {
  const evil = 'https://evil.example/acme/x';
  expect(() => requireOwnNamespace(lockOf('acme/skills'), 'other', evil)).not.toThrow();
  expect(() => requireOwnNamespace(lockOf('acme/skills', evil), 'acme', evil)).not.toThrow();
});
