// Threat model: T251

import { existsSync, realpathSync } from 'node:fs';
import { chmod, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onPath } from '../../../scripts/bootstrap/processes.mjs';
import { repository } from '../../support/daemon-process.ts';
import { filesInSharedFolders, filesOfStart, hasStrace } from '../../support/shared-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const fetched = join(repository, '.toolchain/node_modules/pnpm/bin/pnpm.cjs');
const pnpm = existsSync(fetched) ? fetched : realpathSync(onPath('pnpm')[0] ?? '');

// npm and pnpm enable the compile cache of Node in `TMPDIR`. Where there is no strace (Debian: apt-get install strace), these are
// skipped; `test/architecture/compile-cache.test.ts` plants code without it.
describe.skipIf(!hasStrace)(
  'a first start opens no file that another user could have left in a shared folder',
  () => {
    /** A home of the user's own, and a folder for temporary files that every user can write. */
    async function machine() {
      const home = await temporaryFolder();
      const shared = join(await temporaryFolder(), 'shared');
      await mkdir(shared);
      await chmod(shared, 0o1777);
      const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
      return {
        home,
        env: {
          PATH: path,
          HOME: home,
          TMPDIR: shared,
          XDG_DATA_HOME: join(home, 'data'),
          XDG_CONFIG_HOME: join(home, 'config'),
        },
      };
    }

    test('while the bootstrap runs npm to fetch pnpm, and pnpm to install', async () => {
      const { home, env } = await machine();
      const root = join(home, 'clone');
      for (const path of [
        'scripts/bootstrap.mjs',
        'scripts/bootstrap',
        'packages/cli/src/current-bundle.mjs',
        'package.json',
      ])
        await cp(join(repository, path), join(root, path), { recursive: true });
      const npmOnly = join(home, 'bin');
      await mkdir(npmOnly);
      await symlink(process.execPath, join(npmOnly, 'node'));
      await symlink(onPath('npm')[0] ?? '', join(npmOnly, 'npm'));
      // No registry: npm fails to fetch, after it has loaded all that it needs.
      const offline = {
        PATH: npmOnly,
        npm_config_registry: 'http://127.0.0.1:1/',
        npm_config_fetch_retries: '0',
      };
      const place = { cwd: root, own: [home] as const };
      const command = [process.execPath, 'scripts/bootstrap.mjs', 'pnpm', 'list'] as const;
      const fetching = await filesInSharedFolders(command, { ...place, env: { ...env, ...offline } });
      expect(fetching).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('`npm pack pnpm@'),
        opened: [],
      });

      // An installed pnpm that suffices.
      await writeFile(join(npmOnly, 'pnpm'), `#!/bin/sh\nexec node ${pnpm} "$@"\n`, { mode: 0o755 });
      const installing = await filesInSharedFolders(command, {
        ...place,
        env: { ...env, PATH: `${npmOnly}:/usr/bin:/bin` },
      });
      expect(installing).toMatchObject({ code: 0, opened: [] });

      // The same pnpm without the bootstrap: the trace would show it.
      const alone = await filesInSharedFolders([join(npmOnly, 'pnpm'), 'list'], {
        ...place,
        env: { ...env, PATH: `${npmOnly}:/usr/bin:/bin` },
      });
      expect(alone.opened).toContainEqual(expect.stringContaining('/node-compile-cache/'));
    });

    test('while the daemon starts', async () => {
      const { home, env } = await machine();
      const started = await filesOfStart({ cwd: repository, env, own: [home, repository] });
      expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining('listening'), opened: [] });
    });
  },
);
