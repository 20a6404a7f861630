import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';

test('names an existing test in every row of docs/prior-systems.md', async () => {
  const text = await readFile(join(repository, 'docs/prior-systems.md'), 'utf8');
  const rows = text
    .split('\n')
    .filter((line) => /^\| .*\|$/.test(line) && !/^\| (system|its capability) /.test(line));
  const named = rows.flatMap((row) =>
    [...row.matchAll(/`((?:test|bench|packages|examples)\/[^`]+)`/g)].map(([, path]) => path),
  );
  for (const path of new Set(named)) await access(join(repository, path ?? ''));
  const tables = text.split(/^\| (?:behaviour|fault) .*\n\|---\|---\|\n/m).slice(1);
  const untested = tables
    .flatMap((table) => table.split('\n\n', 1)[0]?.trimEnd().split('\n') ?? [])
    .filter((row) => !/`(?:test|bench|packages|examples)\/[^`]+\.ts`/.test(row));
  expect(untested).toEqual([]);
});
