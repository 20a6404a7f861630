import { expect, test } from 'vitest';
import { namespaceOf } from './namespace.ts';

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
