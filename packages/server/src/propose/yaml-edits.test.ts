// Threat model: T111

import { Capabilities } from '@ambit/core/execute';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { addToYaml, removeFromYaml } from './yaml-edits.ts';

const added = (wishes: Parameters<typeof Capabilities.parse>[0]) => Capabilities.parse(wishes);
const path = ['grants', 'docx'];

describe('adds to a configuration and leaves the rest unchanged', () => {
  test.each<[what: string, before: string, wishes: object, after: string]>([
    ['an empty file', '', { env: ['TZ'] }, 'grants:\n  docx:\n    env:\n      - TZ\n'],
    [
      'no grants',
      '# mine\nskills: [{ path: ./skills, tier: local }]   # all\n',
      { network: ['a.example'] },
      '# mine\nskills: [{ path: ./skills, tier: local }]   # all\ngrants:\n  docx:\n    network:\n      - a.example\n',
    ],
    [
      'grants of other skills',
      'grants:\n  # for pdf\n  pdf: { env: [TZ] } # kept\nlogLevel: info\n',
      { filesystem: { read: ['/srv/in'] }, exec: ['git'] },
      'grants:\n  # for pdf\n  pdf: { env: [TZ] } # kept\n  docx:\n    filesystem:\n      read:\n        - /srv/in\n    exec:\n      - git\nlogLevel: info\n',
    ],
    [
      'a grant on one line',
      'grants: { docx: { network: [a.example] } } # mine\n',
      { network: ['http://b.example:8080'], env: ['TZ'] },
      'grants: { docx: { network: [a.example, http://b.example:8080], env: [TZ] } } # mine\n',
    ],
    [
      'a list in lines',
      'grants:\n  docx:\n    network:\n    - a.example # first\n\n    env: [TZ]\n',
      { network: [{ host: 'b.example', methods: ['GET'], paths: ['/x'] }] },
      'grants:\n  docx:\n    network:\n    - a.example # first\n    - { host: b.example, methods: [GET], paths: [/x] }\n\n    env: [TZ]\n',
    ],
    [
      'an empty list',
      'grants: { docx: { network: [] } }\n',
      { network: ['a.example'] },
      'grants: { docx: { network: [a.example] } }\n',
    ],
    [
      'another host of a secret',
      'grants:\n  docx:\n    secrets: [{ name: TOKEN, hosts: [a.example] }]\n',
      { secrets: [{ name: 'TOKEN', hosts: ['b.example'] }] },
      'grants:\n  docx:\n    secrets: [{ name: TOKEN, hosts: [a.example, b.example] }]\n',
    ],
    [
      'a level',
      'grants: { docx: { state: read } }\n',
      { state: 'write' },
      'grants: { docx: { state: write } }\n',
    ],
    [
      'an item that is granted already',
      'grants: { docx: { env: [ TZ ] } }\n',
      { env: ['TZ'] },
      'grants: { docx: { env: [ TZ ] } }\n',
    ],
  ])('%s', (_, before, wishes, after) => {
    expect(addToYaml(before, path, added(wishes))).toBe(after);
  });

  test('an alias becomes a copy', () => {
    const text = '# mine\ngrants:\n  pdf: &pdf { env: [TZ] }\n  docx: *pdf # same\n';
    const after = addToYaml(text, path, added({ env: ['LANG'] }));
    expect(parse(after)).toEqual({ grants: { pdf: { env: ['TZ'] }, docx: { env: ['TZ', 'LANG'] } } });
    expect(after).toMatch(/^# mine\n/);
  });

  test('a key without a value', () => {
    expect(parse(addToYaml('grants:\nlogLevel: info\n', path, added({ env: ['TZ'] })))).toEqual({
      grants: { docx: { env: ['TZ'] } },
      logLevel: 'info',
    });
  });
});

test('any path is one scalar, whatever characters it has', () => {
  const character = fc.constantFrom(...'a/ :#{}[],&*!|>\'"%@`-?\n\t\\~\u0000é\u2028'.split(''));
  const paths = fc.array(
    fc.string({ unit: character, maxLength: 12 }).map((text) => `/srv/x${text}`),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  const texts = fc.constantFrom(
    '',
    'grants: {}\n',
    'grants: { docx: { filesystem: { read: [/a] } } }\n',
    'grants:\n  docx:\n    filesystem:\n      read:\n        - /a\n',
  );
  fc.assert(
    fc.property(paths, texts, (read, text) => {
      const wishes = Capabilities.safeParse({ filesystem: { read } });
      if (!wishes.success) return;
      const before = parse(text)?.grants?.docx?.filesystem?.read ?? [];
      expect(parse(addToYaml(text, path, wishes.data))).toEqual({
        grants: { docx: { filesystem: { read: [...new Set([...before, ...read])] } } },
      });
    }),
  );
});

describe('removes from a configuration and leaves the rest unchanged', () => {
  test.each<[what: string, before: string, wishes: object, after: string]>([
    [
      'an item of a list in lines',
      'grants:\n  docx:\n    # hosts\n    network:\n      - a.example # first\n      - b.example\n    env: [TZ]\n',
      { network: ['a.example'] },
      'grants:\n  docx:\n    # hosts\n    network:\n      - b.example\n    env: [TZ]\n',
    ],
    [
      'an item of a list on one line',
      'grants: { docx: { env: [ TZ, LANG ] } } # mine\n',
      { env: ['LANG'] },
      'grants: { docx: { env: [ TZ ] } } # mine\n',
    ],
    [
      'the last item, with the keys that it leaves empty',
      '# all\ngrants:\n  docx:\n    filesystem:\n      read:\n        - /srv/in\n  pdf: { env: [TZ] }\nlogLevel: info\n',
      { filesystem: { read: ['/srv/in'] } },
      '# all\ngrants:\n  pdf: { env: [TZ] }\nlogLevel: info\n',
    ],
    [
      'a host of a secret, and the secret with its last one',
      'grants:\n  docx:\n    secrets:\n      - { name: A, hosts: [a.example, b.example] }\n      - { name: B, hosts: [b.example] }\n',
      {
        secrets: [
          { name: 'A', hosts: ['b.example'] },
          { name: 'B', hosts: ['b.example'] },
        ],
      },
      'grants:\n  docx:\n    secrets:\n      - { name: A, hosts: [a.example] }\n',
    ],
    ['the only grant', 'grants: { docx: { env: [TZ] } }\n', { env: ['TZ'] }, ''],
  ])('%s', (_, before, wishes, after) => {
    const { text, missing } = removeFromYaml(before, path, added(wishes), (value) => value);
    expect({ text, missing }).toEqual({ text: after, missing: [] });
  });

  test('an item below an alias, from this skill only', () => {
    const before = 'grants:\n  pdf: &pdf { env: [TZ, LANG] }\n  docx: *pdf\n';
    const { text } = removeFromYaml(before, path, added({ env: ['TZ'] }), (value) => value);
    expect(parse(text)).toEqual({ grants: { pdf: { env: ['TZ', 'LANG'] }, docx: { env: ['LANG'] } } });
  });

  test('nothing that is not there, which is named', () => {
    const wishes = { ...added({ env: ['LANG'], network: ['a.example'] }), limits: { memoryBytes: 1 } };
    const before = 'grants: { docx: { env: [TZ] } }\n';
    expect(removeFromYaml(before, path, wishes, (value) => value)).toEqual({
      text: before,
      missing: ['network a.example', 'env LANG', 'limits.memoryBytes'],
    });
  });
});
