import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const core = {
  'packages/core/package.json': '{ "name": "@ambit/core", "type": "module", "exports": "./src/index.ts" }',
  'packages/core/src/index.ts': "import { used } from './part.ts';\n\nused();\n",
  'packages/core/src/part.ts': [
    'export function used() {}',
    'export function onlyTested() {}',
    '/** @internal */',
    'export function comparedWithDocs() {}',
  ].join('\n'),
  'packages/core/src/part.test.ts':
    "import { comparedWithDocs, onlyTested } from './part.ts';\n\nonlyTested(comparedWithDocs());\n",
};

test('the checks find an export that only a test uses, and permit an export that is marked @internal', async () => {
  const folder = await temporaryFolder({
    ...core,
    'package.json': '{ "name": "ambit", "private": true, "workspaces": ["packages/*"] }',
    'knip.json': await readFile(join(repository, 'knip.json'), 'utf8'),
  });
  const knip = join(repository, 'node_modules/knip/bin/knip.js');
  const args = [knip, '--no-config-hints', '--production', '--reporter', 'compact'];
  await expect(promisify(execFile)(process.execPath, args, { cwd: folder })).rejects.toMatchObject({
    stdout: expect.stringMatching(/^Unused exports \(1\)\npackages\/core\/src\/part\.ts: onlyTested$/m),
  });
});
