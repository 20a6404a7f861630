// Loaded before the daemon. After SIGUSR2, its main thread sends the daemon a signal at a chosen step: just
// before or just after code that an `await` or a promise continues. FAULT_FILE names a file with the signal
// and the number of the step, counted from SIGUSR2. Without such a step, nothing is counted.
import { createHook, executionAsyncResource } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

let signal;
let left = 0;

const step = () => {
  if (!(executionAsyncResource() instanceof Promise)) return;
  left -= 1;
  if (left > 0) return;
  hook.disable();
  process.kill(process.pid, signal);
};
const hook = createHook({ before: step, after: step });

if (isMainThread)
  process.on('SIGUSR2', () => {
    const chosen = readFileSync(process.env.FAULT_FILE, 'utf8').split(' ');
    signal = chosen[0];
    left = Number(chosen[1]);
    process.stdout.write('armed\n');
    if (left > 0) hook.enable();
    else hook.disable();
  });
