// Threat model: T174

import { expect, test } from 'vitest';
import { leftFiles } from './left-files.ts';

const bounds = { bytes: 100, entries: 3, pathBytes: 50, depth: 32 };
const given = [{ path: 'given.txt', content: Buffer.from('given') }];

/** A host's frame for one path. */
function file(path: string, more: object = {}, body = '') {
  const header = { type: 'file', path, change: 'created', size: body.length, isHere: true, ...more };
  return { header, body: Buffer.from(body) };
}

const deleted = { change: 'deleted', size: 0, isHere: false };

test('workspace changes are sorted by path', () => {
  const left = leftFiles(given, bounds);
  left.add(file('out/b.txt', {}, 'b'));
  left.add(file('given.txt', deleted));
  left.add(file('link', { size: 0, isHere: false, link: 'out/b.txt' }));
  left.add(file('far', { size: 0, isHere: false, link: '../b.txt' }));
  expect(left.changes()).toEqual([
    {
      path: 'far',
      change: 'created',
      bytes: 0,
      content: null,
      leftOut: true,
      omitted: 'not a regular file but a symbolic link that leads out of the workspace',
    },
    { path: 'given.txt', change: 'deleted', bytes: 0, content: null },
    { path: 'link', change: 'created', bytes: 0, content: null, link: 'out/b.txt' },
    { path: 'out/b.txt', change: 'created', bytes: 1, content: Uint8Array.of(98) },
  ]);
});

test('returned content does not change with later frames', () => {
  const left = leftFiles([], bounds);
  const frame = file('a', {}, 'mine');
  left.add(frame);
  frame.body.fill(0);
  expect(left.changes()).toMatchObject([{ content: Uint8Array.from(Buffer.from('mine')) }]);
});

test.each([
  ['an absolute path', [file('/etc/passwd', {}, 'x')]],
  ['a path that climbs', [file('a/../../etc/passwd', {}, 'x')]],
  ['an empty path', [file('', {}, 'x')]],
  ['an empty name', [file('a//b', {}, 'x')]],
  ['a name with a NUL', [file('a\0b', {}, 'x')]],
  ['a path twice', [file('a', {}, 'x'), file('a', {}, 'y')]],
  ['a new file that was given', [file('given.txt', {}, 'x')]],
  ['a change to a file that was not given', [file('a', { change: 'changed' }, 'x')]],
  ['the deletion of a file that was not given', [file('a', deleted)]],
  ['more bytes than are taken', [file('a', {}, 'x'.repeat(101))]],
  ['more bytes than are taken, in parts', [file('a', {}, 'x'.repeat(60)), file('b', {}, 'x'.repeat(60))]],
  ['more files than are taken', ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => file(name))],
  ['longer paths than are taken', [file('a'.repeat(60)), file('b')]],
  ['a change that there is not', [file('a', { change: 'linked' })]],
  ['a size below nothing', [file('a', { size: -1 })]],
])('an invalid workspace frame is refused: %s', (_, frames) => {
  const left = leftFiles(given, bounds);
  expect(() => {
    for (const frame of frames) left.add(frame);
  }).toThrow();
});
