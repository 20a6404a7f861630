// Threat model: T251

import { execFileSync } from 'node:child_process';
import { chmod, chown, cp, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { folderWithPlantedCache } from '../support/planted-cache.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

// The calls of npm, pnpm and tsc when they start.
const enabling = "require('node:module').enableCompileCache?.();\nrequire('./tool.cjs');\n";
const genuine = `${"console.log('genuine');".padEnd(400)}\n`;
const attack = "require('node:fs').writeFileSync(process.env.MARK ?? '/dev/null', '');console.log('planted')";

/** A repository with only the bootstrap, a pnpm that enables the compile cache, and code planted for it by another user. */
async function world() {
  const folder = await temporaryFolder();
  const [root, bin, mark] = [join(folder, 'root'), join(folder, 'bin'), join(folder, 'mark')];
  for (const path of ['scripts/bootstrap.mjs', 'scripts/bootstrap', 'packages/cli/src/current-bundle.mjs'])
    await cp(join(repository, path), join(root, path), { recursive: true });
  await mkdir(bin);
  await symlink(process.execPath, join(bin, 'node'));
  await writeFile(join(bin, 'tool.cjs'), genuine);
  const versionOrRun = `if (process.argv[2] === '--version') console.log('10.0.1');\nelse {\n${enabling}}\n`;
  await writeFile(join(bin, 'pnpm'), `#!/usr/bin/env -S node\n${versionOrRun}`);
  await chmod(join(bin, 'pnpm'), 0o755);
  await writeFile(join(root, 'package.json'), '{}');
  await writeFile(join(root, 'pnpm-lock.yaml'), '');
  await writeFile(join(root, 'pnpm-workspace.yaml'), 'packages: []\n');
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: folder, MARK: mark };
  const shared = await folderWithPlantedCache(join(bin, 'tool.cjs'), attack);
  await rm(mark, { force: true });
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, {
      cwd: root,
      env: { ...env, TMPDIR: shared },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  return {
    root,
    bin,
    run,
    leftMark: () => stat(mark).then(Boolean, () => false),
    removeMark: () => rm(mark),
  };
}

test('the bootstrap, and what it starts, run no code that another user planted in the shared temporary folder', async () => {
  const { root, bin, run, leftMark, removeMark } = await world();
  // The attack works on the tool alone.
  expect([run(join(bin, 'pnpm'), 'list'), await leftMark()]).toEqual(['planted\n', true]);
  await removeMark();
  const tool = JSON.stringify(join(bin, 'pnpm'));
  await writeFile(
    join(root, 'started.mjs'),
    `import { execFileSync } from 'node:child_process';\nexecFileSync(${tool}, ['list'], { stdio: 'inherit' });\n`,
  );
  // Installs, then runs a script, which starts a tool itself.
  expect(run('scripts/bootstrap.mjs', 'run', 'started.mjs')).toBe('genuine\n');
  expect(run('scripts/bootstrap.mjs', 'pnpm', 'list')).toBe('genuine\n');
  expect(await leftMark()).toBe(false);
});

test.each(['check.mjs', 'pack.mjs', 'publish.mjs', 'test-nodes.mjs'])(
  'scripts/%s turns the compile cache off for what it starts, also without the bootstrap',
  async (script) => {
    const first = /^import '(.*)';$/m.exec(await readFile(join(repository, 'scripts', script), 'utf8'))?.[1];
    expect(first).toBe('./bootstrap/no-compile-cache.mjs');
  },
);

describe('the compile cache of ambit', () => {
  /** The folder that is used; `undefined`: none. */
  const used = (folder: string): string | undefined => {
    const module = pathToFileURL(join(repository, 'packages/cli/src/compile-cache.mjs')).href;
    const code = `import { getCompileCacheDir } from 'node:module';
      const { cacheCompiled } = await import(${JSON.stringify(module)});
      cacheCompiled(${JSON.stringify(folder)});
      console.log(JSON.stringify(getCompileCacheDir() ?? null));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      env: {},
      encoding: 'utf8',
    });
    return JSON.parse(printed) ?? undefined;
  };

  test('is in a folder with mode 700', async () => {
    const folder = join(await temporaryFolder(), 'new/compiled');
    expect(used(folder)).toMatch(new RegExp(`^${folder}/`));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(used(folder)).toMatch(new RegExp(`^${folder}/`));
  });

  test.each(['a link', "another user's folder", 'a folder that others can write', 'a file'])(
    'is off if its place has %s',
    async (what) => {
      const place = await temporaryFolder();
      const folder = join(place, 'compiled');
      if (what === 'a link') {
        await mkdir(join(place, 'target'), { mode: 0o700 });
        await symlink('target', folder);
      } else if (what === 'a file') await writeFile(folder, '');
      else await mkdir(folder, { mode: 0o700 });
      if (what === 'a folder that others can write') await chmod(folder, 0o722);
      // A folder of root, for tests that may not change owners.
      if (what === "another user's folder" && process.getuid?.() !== 0) expect(used('/usr')).toBe(undefined);
      else {
        if (what === "another user's folder") await chown(folder, 65534, 65534);
        expect(used(folder)).toBe(undefined);
      }
    },
  );

  test('is off where no folder can be created', () => {
    expect(used('/dev/null/compiled')).toBe(undefined);
  });
});
