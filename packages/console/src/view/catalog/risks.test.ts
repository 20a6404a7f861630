import { expect, test } from 'vitest';
import { requestText, risksOf } from './risks.ts';

const none = {
  filesystem: { read: [], write: [] },
  network: [],
  env: [],
  secrets: [],
  exec: [],
  state: 'none' as const,
  memory: 'none' as const,
};

test('a skill that asks for nothing has no risks', () => {
  expect(risksOf(none)).toEqual([]);
});

test('says what each capability means, and that private data with a network can leak', () => {
  expect(
    risksOf({
      ...none,
      filesystem: { read: ['/srv/repos'], write: ['workspace'] },
      network: ['a.example', 'b.example'],
      secrets: [{ name: 'TOKEN', hosts: ['a.example'] }],
    }),
  ).toEqual([
    'reads your files: /srv/repos',
    'changes files of its workspace',
    'reaches 2 hosts',
    'sends the secret TOKEN to a.example',
    'private data and network: it can leak what it reads',
  ]);
});

test('a skill that only reaches hosts has no private data to leak', () => {
  expect(risksOf({ ...none, network: ['a.example'] })).toEqual(['reaches 1 host']);
});

test('names what a request leaves to the operator', () => {
  const requests = ['exec git', 'network granted', 'network a.example', 'filesystem.read granted'];
  expect(requests.map(requestText)).toEqual([
    'exec git',
    'network (hosts that you grant)',
    'network a.example',
    'filesystem.read (paths that you grant)',
  ]);
});
