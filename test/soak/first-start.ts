// Starts, checks and packs a fresh clone of the last commit as on the first day, and lists the files that these read from folders
// that every user can write: there may be none.
//
//   npm run test:all -- first-start
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../support/daemon-process.ts';
import { filesInSharedFolders, filesOfStart } from '../support/shared-files.ts';

// Not in a shared folder: tools search the folders above a project for their settings.
const folder = await mkdtemp(join(homedir(), 'ambit-first-start-'));
try {
  const [clone, data, shared] = ['clone', 'data', 'shared'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  execFileSync('git', ['clone', '--quiet', repository, clone]);
  await mkdir(data);
  await mkdir(shared);
  await chmod(shared, 0o1777);
  const { NODE_DISABLE_COMPILE_CACHE: _, ...environment } = process.env;
  const env = { ...environment, TMPDIR: shared };
  const own = [data, clone] as const;
  const bootstrap = [process.execPath, 'scripts/bootstrap.mjs'] as const;
  const runs = {
    start: () => filesOfStart({ cwd: clone, env, own }),
    check: () => filesInSharedFolders([...bootstrap, 'test', '--no-tests'], { cwd: clone, env, own }),
    pack: () => filesInSharedFolders([...bootstrap, 'run', 'scripts/pack.mjs'], { cwd: clone, env, own }),
  };
  for (const [name, run] of Object.entries(runs)) {
    const { code, opened, stdout, stderr } = await run();
    console.log(`${name}: exit code ${code}, ${opened.length} files of shared folders`);
    for (const file of opened) console.log(`  ${file}`);
    if (code !== 0) console.log(`${stdout}${stderr}`);
    if (code !== 0 || opened.length > 0) process.exitCode = 1;
  }
} finally {
  await rm(folder, { recursive: true });
}
