// Loaded before the daemon. Between two SIGUSR2, counts the promises of its main thread.
import { createHook } from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

let count = -1;
const hook = createHook({
  init(_id, type) {
    if (type === 'PROMISE') count += 1;
  },
});
if (isMainThread)
  process.on('SIGUSR2', () => {
    hook.disable();
    process.stdout.write(count === -1 ? 'counting promises\n' : `promises: ${count}\n`);
    if (count === -1) {
      count = 0;
      hook.enable();
    } else count = -1;
  });
