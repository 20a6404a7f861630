import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { unifiedDiff } from './unified-diff.ts';

const long = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join('');

const changes: [what: string, before: string | undefined, after: string][] = [
  ['a line in the middle', long, long.replace('line 20\n', 'other\n')],
  ['lines at both ends', long, `first\n${long}last\n`],
  ['two places far apart', long, long.replace('line 5\n', '').replace('line 30\n', 'line 30\nmore\n')],
  ['two places close together', long, long.replace('line 5\n', 'x\n').replace('line 10\n', 'y\n')],
  ['a last line without a line feed', 'a\nb', 'a\nb\nc'],
  ['a new line feed at the end', 'a\nb', 'a\nb\n'],
  ['everything', 'a\nb\n', 'c\nd\n'],
  ['lines that end with a carriage return', 'a\r\nb\r\n', 'a\r\nb\r\nc\r\n'],
  ['a new file', undefined, 'a\nb\n'],
];

test.each(
  changes.flatMap(([what, ...texts]) => [
    ['patch -p0', what, ...texts] as const,
    ['git apply -p0', what, ...texts] as const,
  ]),
)('%s applies a change of %s', async (command, _, before, after) => {
  const [program = '', ...args] = command.split(' ');
  const name = 'some config.yaml';
  const folder = await temporaryFolder(before === undefined ? {} : { [name]: before });
  const binary = program === 'patch' ? ['--binary'] : [];
  execFileSync(program, [...args, ...binary], {
    cwd: folder,
    input: unifiedDiff({ name, before, after }),
    stdio: 'pipe',
  });
  expect(readFileSync(join(folder, name), 'utf8')).toBe(after);
});

test('the same text has no diff', () => {
  expect(unifiedDiff({ name: 'a', before: long, after: long })).toBe('');
});

test('shows three lines around a change', () => {
  const before = 'a\nb\nc\nd\ne\n';
  expect(unifiedDiff({ name: 'f', before, after: before.replace('e', 'E') })).toBe(
    '--- f\n+++ f\n@@ -2,4 +2,4 @@\n b\n c\n d\n-e\n+E\n',
  );
});
