// Threat model: T145

import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Grant } from '@ambit/core/execute';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { grantedSkill, writeFiles } from '../../testing/skill-on-disk.ts';
import { processExecutor } from '../process-executor.ts';
import { bubblewrapSandbox } from '../sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { treeDigest } from './tree-digest.ts';

const executor = processExecutor({ sandbox: bubblewrapSandbox(), environment: {} });
const never = new AbortController().signal;
const python = { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] } };

/** The output of a skill with packages in a folder, or its refusal. */
async function outputOf(
  grant: Grant,
  root: string,
  content: string,
  version: string | null,
): Promise<unknown> {
  const dependencies = { digest: 'sha256:lock', content, root, python: version, node: version === null };
  const given = { ...grant, skill: { ...grant.skill, dependencies } } as Grant;
  try {
    const { outcome } = await executor.execute(given, { protocol: 'json', value: {} }, never);
    return outcome.status === 'succeeded' ? outcome.output : outcome;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

async function versionOfPython(): Promise<string> {
  const script = 'import sys\nprint(\'"%d.%d"\' % sys.version_info[:2])\n';
  const { outcome } = await executor.execute(
    await grantedSkill(python, { 'scripts/run.py': script }),
    { protocol: 'json', value: {} },
    never,
  );
  return outcome.status === 'succeeded' ? String(outcome.output) : '';
}

test('Python imports locked packages after its own modules, and only if they are what was locked', async () => {
  const root = await temporaryFolder();
  await writeFiles(root, { 'python/one.py': 'x = 1\n', 'python/json.py': 'raise Exception("shadowed")\n' });
  const grant = await grantedSkill(python, {
    'scripts/run.py': 'import json, one\nprint(json.dumps({"x": one.x, "at": one.__file__}))\n',
  });
  const version = await versionOfPython();
  const content = await treeDigest(root);
  const output = { x: 1, at: `/ambit/python/lib/python${version}/site-packages/one.py` };
  expect(await outputOf(grant, root, content, version)).toEqual(output);
  expect(await outputOf(grant, root, content, '2.7')).toBe('LOCK_MISMATCH');
  expect(await outputOf(grant, root, 'sha256:other', version)).toBe('LOCK_MISMATCH');

  await writeFile(join(root, 'python/.hidden'), '');
  expect(await outputOf(grant, root, content, version)).toBe('LOCK_MISMATCH');
  await rm(join(root, 'python/.hidden'));
  expect(await outputOf(grant, root, content, version)).toEqual(output);
  await symlink('/etc', join(root, 'python/etc'));
  expect(await outputOf(grant, root, content, version)).toBe('LOCK_MISMATCH');
  await rm(root, { recursive: true });
  expect(await outputOf(grant, root, content, version)).toBe('LOCK_MISMATCH');
});

test('a program cannot write to locked packages', async () => {
  const root = await temporaryFolder();
  await mkdir(join(root, 'python'));
  await writeFile(join(root, 'python/one.py'), 'x = 1\n');
  await chmod(join(root, 'python/one.py'), 0o666);
  const grant = await grantedSkill(python, {
    'scripts/run.py':
      'import json, one\ntry:\n  open(one.__file__, "a")\nexcept OSError as e:\n  print(json.dumps(e.strerror))\n',
  });
  const version = await versionOfPython();
  expect(await outputOf(grant, root, await treeDigest(root), version)).toBe('Read-only file system');
});

test.each([
  ['import', 'run.mjs', 'import one from "@acme/one";\nimport { createRequire } from "node:module";\n'],
  [
    'require',
    'run.js',
    'const one = require("@acme/one");\nconst { createRequire } = require("node:module");\n',
  ],
])(
  'Node finds locked packages by %s, after the modules of the skill, and cannot write to them',
  async (_, name, head) => {
    const root = await temporaryFolder();
    await writeFiles(root, {
      'node_modules/@acme/one/package.json': '{"main":"main.js"}',
      'node_modules/@acme/one/main.js': 'module.exports = { x: require("two"), at: __filename };\n',
      'node_modules/two/index.js': 'module.exports = 2;\n',
      'node_modules/own/index.js': 'module.exports = "locked";\n',
      'node_modules/fs/index.js': 'throw new Error("shadowed");\n',
    });
    await chmod(join(root, 'node_modules/@acme/one/main.js'), 0o666);
    const grant = await grantedSkill(
      { runtime: 'process', entry: `scripts/${name}`, capabilities: { exec: ['node'] } },
      {
        [`scripts/${name}`]: `${head}let refused;
try { createRequire('/skill/')('fs').appendFileSync(one.at, ''); } catch (error) { refused = error.code; }
console.log(JSON.stringify([one, createRequire('/skill/scripts/')('own'), refused]));\n`,
        'node_modules/own/index.js': 'module.exports = "own";\n',
      },
    );
    expect(await outputOf(grant, root, await treeDigest(root), null)).toEqual([
      { x: 2, at: '/node_modules/@acme/one/main.js' },
      'own',
      'EROFS',
    ]);
    await writeFile(join(root, 'node_modules/two/index.js'), 'module.exports = 3;\n');
    expect(await outputOf(grant, root, await treeDigest(root), null)).toMatchObject([
      { x: 3 },
      'own',
      'EROFS',
    ]);
    expect(await outputOf(grant, root, 'sha256:other', null)).toBe('LOCK_MISMATCH');
  },
);
