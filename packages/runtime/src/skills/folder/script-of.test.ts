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
  ['tools/build.ts', 'console.log(1)', 'node'],
  ['tools/build.mts', 'console.log(1)', 'node'],
  ['tools/build.cts', 'console.log(1)', 'node'],
  ['tools/build.cjs', 'console.log(1)', 'node'],
  ['tools/build.sh', 'a=(1 2)', 'bash'],
  ['a.py', '#!/usr/bin/env -S uv --quiet run --script\nmain()', 'python3'],
  ['a.py', '#!/usr/bin/env -S uv run python\nmain()', 'python3'],
  ['a.py', '#!/usr/bin/env -S uvx --from x python\nmain()', 'python3'],
  ['a.py', '#!/usr/bin/env -S uvx ruff\nmain()', 'uvx'],
  ['a.ts', '#!/usr/bin/env -S npx -y tsx\n', 'node'],
  ['a.ts', '#!/usr/bin/env tsx\n', 'node'],
  ['a.ts', '#!/usr/bin/env -S npx cowsay\n', 'npx'],
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
  ['types/a.d.ts', 'declare const a: string;'],
  ['types/b.ts', 'export interface B { b: string }\n'],
])('%s with %j is none', (path, content) => {
  expect(found(path, content)).toBeUndefined();
});

test('a link is no script, whatever its name', () => {
  expect(found('bin/x.py', 'main()', '../scripts/x.py')).toBeUndefined();
});
