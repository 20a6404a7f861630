// Runs the suites of the store and of the audit log against another PostgreSQL than the one of the development dependency: by
// default, Debian's. It starts servers with the programs in that folder, and ends them; it uses no cluster of the machine.
//
//   npm run test:all -- postgres
//   npm run test:all -- postgres --bin /opt/pgsql/bin
//
// Further arguments go to vitest.

import { execFileSync, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresFolder } from './check/needs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const at = args.indexOf('--bin');
const bin = at < 0 ? postgresFolder() : args[at + 1];
if (bin === undefined) throw new Error('name the folder with postgres and initdb: --bin DIR');
const folder = resolve(bin);
console.log(execFileSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' }).trim());
const rest = at < 0 ? args : args.toSpliced(at, 2);
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
