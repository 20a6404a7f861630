import { expect, test } from 'vitest';
import { diskBytesMax } from './call-bounds.ts';
import { whyNotPlaced } from './why-not-placed.ts';

const file = (path: string, bytes = 0) => ({ path, content: new Uint8Array(bytes) });

test.each([
  ['none', []],
  ['as much as there is room for', [file('a', 10_000 - 512)]],
  [
    'files beside each other, in folders and with names that begin alike',
    [file('a/b'), file('a/c'), file('ab')],
  ],
])('%s fit into a workspace', (_, files) => {
  expect(whyNotPlaced(files, 10_000)).toBeUndefined();
});

test.each([
  [
    'a byte too much',
    [file('a', 10_001 - 512)],
    'they need 10001 bytes in total, and it has 10000: send fewer, or raise limits.memoryBytes',
  ],
  [
    'more folders than there is room for',
    [file('a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t')],
    'they need 10240 bytes in total, and it has 10000: send fewer, or raise limits.memoryBytes',
  ],
  [
    'a file in a file',
    [file('a/b/c'), file('a/b')],
    '"a/b" is a file, but another file\'s path needs a folder there',
  ],
])('%s do not fit into a workspace', (_, files, problem) => {
  expect(whyNotPlaced(files, 10_000)).toBe(problem);
});

test('more memory is suggested only if it would help', () => {
  const large = file('a', diskBytesMax);
  expect(whyNotPlaced([large], diskBytesMax)).toBe(
    `they need ${diskBytesMax + 512} bytes in total, and it has ${diskBytesMax}: send fewer`,
  );
});
