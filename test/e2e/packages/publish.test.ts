import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repository } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);

/** An npm that has one package already, and writes down what it publishes. */
const npm = `#!/bin/sh
case "$1 $2" in
  "view @ambit/core@0.2.0") cat published ;;
  view*) echo '{"error":{"code":"E404"}}' ;;
  *) echo "$(basename "$2") $3 $4 $5 $6" >> ../published-files ;;
esac
`;

/** A repository with a release of three packages in dist/packages, and a command that publishes them. */
async function release() {
  const folder = join(await temporaryFolder(), 'release');
  const packages = join(folder, 'dist/packages');
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  for (const path of [
    'scripts/publish.mjs',
    'scripts/bootstrap/no-compile-cache.mjs',
    'scripts/pack/root.mjs',
  ])
    await cp(join(repository, path), join(folder, path), { recursive: true });
  await write('package.json', JSON.stringify({ version: '0.2.0' }));
  await write('CHANGELOG.md', '# Changelog\n\n## 0.2.0, 2026-11-27\n');
  await write('.gitignore', 'dist\nbin\npublished\n');
  await write('bin/npm', npm);
  await chmod(join(folder, 'bin/npm'), 0o755);
  const git = async (...args: string[]) => {
    const name = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
    return (await run('git', [...name, ...args], { cwd: folder })).stdout.trim();
  };
  await git('init', '--quiet');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'First');
  let sums = '';
  for (const [name, needs] of [
    ['a', ['core']],
    ['core', []],
    ['planted', []],
  ] as const) {
    const dependencies = Object.fromEntries(needs.map((each) => [`@ambit/${each}`, '0.2.0']));
    await write(
      'package/package.json',
      JSON.stringify({ name: `@ambit/${name}`, version: '0.2.0', dependencies }),
    );
    const file = join(packages, `ambit-${name}-0.2.0.tgz`);
    await mkdir(packages, { recursive: true });
    await run('tar', ['-czf', file, 'package'], { cwd: folder });
    await rm(join(folder, 'package'), { recursive: true });
    const bytes = await readFile(file);
    const digest = (kind: string, encoding: 'hex' | 'base64') =>
      createHash(kind).update(bytes).digest(encoding);
    if (name !== 'planted') sums += `${digest('sha256', 'hex')}  ambit-${name}-0.2.0.tgz\n`;
    if (name === 'core') await write('published', JSON.stringify(`sha512-${digest('sha512', 'base64')}`));
  }
  await write('dist/packages/SHA256SUMS', sums);
  const provenance = join(packages, 'ambit-0.2.0.provenance.json');
  const madeFrom = async (gitCommit: string): Promise<void> => {
    const resolvedDependencies = [{ digest: { gitCommit } }];
    await writeFile(provenance, JSON.stringify({ predicate: { buildDefinition: { resolvedDependencies } } }));
  };
  const commit = await git('rev-parse', 'HEAD');
  await madeFrom(commit);
  const { GITHUB_REF_NAME: _, ...env } = process.env;
  const publish = async (variables: Record<string, string> = {}): Promise<string> => {
    const { stdout, stderr } = await run(process.execPath, ['scripts/publish.mjs', '--provenance'], {
      cwd: folder,
      env: { ...env, PATH: `${join(folder, 'bin')}:${env['PATH']}`, ...variables },
    }).catch((error) => error);
    return stdout + stderr;
  };
  const published = () => readFile(join(folder, '../published-files'), 'utf8').catch(() => '');
  return { folder, packages, commit, madeFrom, write, publish, published };
}

test('publishing sends the packages of SHA256SUMS that the registry lacks, each after its dependencies', async () => {
  const { publish, published } = await release();
  expect(await publish({ GITHUB_REF_NAME: 'v0.2.0' })).toBe('@ambit/core 0.2.0 is already published\n');
  expect(await published()).toBe('ambit-a-0.2.0.tgz --access public --tag latest\n');
});

test('publishing refuses other commits, other tags, other bytes and an undated version', async () => {
  const { packages, commit, madeFrom, write, publish, published } = await release();
  await madeFrom('0'.repeat(40));
  expect(await publish()).toContain('Nothing was published: the packages were made from another commit');
  await madeFrom(commit);
  expect(await publish({ GITHUB_REF_NAME: 'v0.3.0' })).toContain('Nothing was published: the tag is v0.3.0');
  await write('CHANGELOG.md', '# Changelog\n\n## 0.2.0, unreleased\n');
  expect(await publish()).toContain('Nothing was published: CHANGELOG.md has no heading');
  await write('CHANGELOG.md', '# Changelog\n\n## 0.2.0, 2026-11-27\n');
  await write('published', JSON.stringify('sha512-other'));
  expect(await publish()).toContain('@ambit/core 0.2.0 is published with other contents');
  await appendFile(join(packages, 'ambit-a-0.2.0.tgz'), 'x');
  expect(await publish()).toContain('Nothing was published: files differ from SHA256SUMS');
  await rm(join(packages, 'ambit-0.2.0.provenance.json'));
  expect(await publish()).toContain('Nothing was published: the packages were not made from a commit');
  expect(await published()).toBe('');
});
