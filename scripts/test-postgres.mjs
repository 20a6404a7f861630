// Runs the suites of the store and of the audit log against another PostgreSQL than the one of the development dependency.
// It starts servers with the programs in that folder, and ends them; it uses no cluster of the machine.
//
//   npm run test:postgres -- --bin /usr/lib/postgresql/15/bin
//
// Further arguments go to vitest.

import { execFileSync, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const at = args.indexOf('--bin');
const bin = at < 0 ? undefined : args[at + 1];
if (bin === undefined) {
  console.error('name the folder with postgres and initdb: npm run test:postgres -- --bin DIR');
  process.exit(2);
}
const folder = resolve(bin);
console.log(execFileSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' }).trim());
const rest = args.toSpliced(at, 2);
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...[
      'run',
      '--project',
      'contract',
      'test/contract/store',
      'test/contract/skill-state.test.ts',
      'test/contract/audit',
      ...rest,
    ],
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, TEST_POSTGRES_BIN: folder } },
);
process.exitCode = status ?? 1;
