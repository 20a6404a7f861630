// Threat model: T231

import { expect, test } from 'vitest';
import { Capabilities } from '../capability/capabilities.ts';
import { withinCeiling } from './within-ceiling.ts';

test.each<[claim: string, wished: object, ceiling: object, left: object]>([
  [
    'items that the ceiling includes stay',
    { network: ['a.example.com'], env: ['LANG'] },
    { network: ['*.example.com'], env: ['LANG'] },
    { network: ['a.example.com'], env: ['LANG'] },
  ],
  [
    'an item wider than the ceiling becomes the ceiling',
    { network: ['*.example.com'], filesystem: { read: ['/srv'] }, exec: ['@posix'] },
    { network: ['a.example.com'], filesystem: { read: ['/srv/a', '/srv/b'] }, exec: ['sh'] },
    { network: ['a.example.com'], filesystem: { read: ['/srv/a', '/srv/b'] }, exec: ['sh'] },
  ],
  [
    'items of every kind that the ceiling lacks are removed',
    {
      network: ['a.example'],
      filesystem: { read: ['workspace', '/srv'], write: ['workspace'] },
      env: ['LANG'],
      secrets: [{ name: 'TOKEN', hosts: ['a.example'] }],
      exec: ['python3'],
      state: 'write',
      memory: 'read',
    },
    {},
    {},
  ],
  [
    'a path that only starts with the same letters is not included',
    { filesystem: { read: ['/srv/ab'] } },
    { filesystem: { read: ['/srv/a'] } },
    {},
  ],
  [
    'a ceiling for writing allows reading, but not the reverse',
    { filesystem: { read: ['/a'], write: ['/b'] } },
    { filesystem: { read: ['/b'], write: ['/a'] } },
    { filesystem: { read: ['/a'] } },
  ],
  [
    'a secret keeps only hosts that both name',
    { secrets: [{ name: 'TOKEN', hosts: ['a.example', 'b.example'] }] },
    {
      secrets: [
        { name: 'TOKEN', hosts: ['b.example'] },
        { name: 'OTHER', hosts: ['a.example'] },
      ],
    },
    { secrets: [{ name: 'TOKEN', hosts: ['b.example'] }] },
  ],
  [
    'the lower level holds',
    { state: 'write', memory: 'read' },
    { state: 'read', memory: 'read' },
    { state: 'read', memory: 'read' },
  ],
  [
    'a set in the ceiling allows its members',
    { exec: ['sh', 'python3'] },
    { exec: ['@posix'] },
    { exec: ['sh'] },
  ],
])('%s', (_, wished, ceiling, left) => {
  expect(withinCeiling(Capabilities.parse(wished), Capabilities.parse(ceiling))).toEqual(
    Capabilities.parse(left),
  );
});
