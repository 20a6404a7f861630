// Threat model: T364

import { expect, test } from 'vitest';
import { type HostMount, otherPathsTo } from './mount-table.ts';

/** A mount of one file system at a point, on another mount. */
function mount(id: string, parent: string, device: string, root: string, point: string): HostMount {
  return { id, parent, device, root, point, type: 'ext4' };
}

const [disk, other] = ['8:1', '0:40'];
const root = mount('1', '0', disk, '/', '/');

test('a folder is found where its file system is mounted again, also in part', () => {
  const mounts = [
    root,
    mount('2', '1', disk, '/srv/data', '/mnt/data'),
    mount('3', '1', disk, '/srv/data/keys/old', '/old'),
  ];
  expect(otherPathsTo('/srv/data/keys', mounts)).toEqual([
    { path: '/srv/data/keys', isPart: false },
    { path: '/mnt/data/keys', isPart: false },
    { path: '/old', isPart: true },
  ]);
});

test('a mount that a later one on a folder above covers says nothing about a path', () => {
  const covered = mount('2', '1', other, '/', '/srv/data/keys');
  const covering = mount('3', '1', disk, '/home/data', '/srv/data');
  const found = [
    { path: '/home/data/keys', isPart: false },
    { path: '/srv/data/keys', isPart: false },
  ];
  expect(otherPathsTo('/srv/data/keys', [root, covered, covering])).toEqual(found);
  expect(otherPathsTo('/srv/data/keys', [root, covering, covered])).toEqual(found);
  const own = { ...root, parent: root.id };
  expect(otherPathsTo('/srv/data/keys', [own, covered, covering])).toEqual(found);
  const above = mount('4', '3', other, '/', '/srv/data/keys');
  expect(otherPathsTo('/srv/data/keys', [root, covering, above])).toEqual([
    { path: '/srv/data/keys', isPart: false },
  ]);
});
