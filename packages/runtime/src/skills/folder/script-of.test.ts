import { expect, test } from 'vitest';
import { scriptOf } from './script-of.ts';

const found = (path: string, content: string, link?: string) =>
  scriptOf({ path, bytes: content.length, link }, Buffer.from(content));

test.each([
  ['scripts/run.py', 'main()', 'python3'],
  ['tools/x.py', 'main()', 'python3'],
  ['office/unpack.py', 'main()', 'python3'],
  ['bin/x', '#!/usr/bin/env bash\n', 'bash'],
  ['bin/compiled', '\u007fELF', null],
  ['test_recalc.py', 'main()', 'python3'],
  ['assets/template.js', 'console.log(1)', 'node'],
])('%s with %j is a script', (path, content, interpreter) => {
  expect(found(path, content)).toEqual({ path, interpreter });
});

test.each([
  ['notes/run.txt', 'main()'],
  ['bin/x', 'no shebang'],
  ['lib/empty.py', ''],
  ['lib/helper.py', 'def help():\n    pass\n'],
  ['scripts/__init__.py', 'main()'],
  ['node_modules/a/scripts/build.js', 'main()'],
  ['scripts/node_modules/a/cli.js', '#!/usr/bin/env node\n'],
  ['lib/python3/site-packages/a.py', 'main()'],
  ['lib/a.so.1', '\u007fELF'],
])('%s with %j is none', (path, content) => {
  expect(found(path, content)).toBeUndefined();
});

test('a link is no script, whatever its name', () => {
  expect(found('bin/x.py', 'main()', '../scripts/x.py')).toBeUndefined();
});
