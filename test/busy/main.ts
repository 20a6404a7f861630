// Repeats the suites of leases, timeouts and slow clients on a machine that is busy with other work, because a test that
// measures how busy the machine is fails there. Exits with 1 after the first round with a failed test.
//
//   npm run test:all -- busy [--rounds 20] [--load 8] [FILE…]

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { repository } from '../support/daemon-process.ts';
import { suites } from './suites.ts';

/** Works until this process has ended, in whatever way. */
const busyProgram = `
process.stdin.resume().on('end', () => process.exit());
const work = () => {
  for (const until = Date.now() + 50; Date.now() < until; );
  setImmediate(work);
};
work();
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '20' }, load: { type: 'string', default: '8' } },
});
const files = positionals.length > 0 ? positionals : suites;

const busy = Array.from({ length: Number(values.load) }, () =>
  spawn(process.execPath, ['-e', busyProgram], { stdio: ['pipe', 'ignore', 'inherit'] }),
);
let passed = 0;
try {
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    console.log(`round ${round} of ${values.rounds}, beside ${busy.length} busy processes`);
    const vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
      cwd: repository,
      stdio: 'inherit',
    });
    const [code] = await once(vitest, 'exit');
    if (code !== 0) break;
    passed += 1;
  }
} finally {
  for (const each of busy) each.kill('SIGKILL');
}
const failed = passed === Number(values.rounds) ? 0 : 1;
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed;
