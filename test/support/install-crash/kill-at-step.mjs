// Loaded into a real daemon with `--import`: kills it before the step that KILL_AT_STEP names. A step is a change of a file, or a
// message to the threads of the log and the store, that a request other than GET makes. Without a kill, the number of steps is
// written to KILL_STEPS.
import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { Server } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread, MessagePort, Worker } from 'node:worker_threads';

const killAt = Number(process.env.KILL_AT_STEP);
const change = new AsyncLocalStorage();
let steps = 0;

function step() {
  if (change.getStore() === undefined) return;
  steps += 1;
  if (steps === killAt) process.kill(process.pid, 'SIGKILL');
}

function stepBefore(holder, name, isStep = () => true) {
  const original = holder[name];
  holder[name] = function (...given) {
    if (isStep(...given)) step();
    return original.apply(this, given);
  };
}

if (isMainThread) {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (event, ...given) {
    const isChange = event === 'request' && given[0].method !== 'GET';
    return isChange
      ? change.run(true, () => emit.call(this, event, ...given))
      : emit.call(this, event, ...given);
  };
  for (const name of ['chmod', 'mkdir', 'mkdtemp', 'rename', 'rm', 'symlink', 'writeFile'])
    stepBefore(promises, name);
  const writing = fs.constants.O_WRONLY | fs.constants.O_RDWR;
  stepBefore(promises, 'open', (_path, flags = 'r') =>
    typeof flags === 'string' ? flags !== 'r' : (flags & writing) !== 0,
  );
  stepBefore(Worker.prototype, 'postMessage');
  stepBefore(MessagePort.prototype, 'postMessage');
  syncBuiltinESMExports();
  const { KILL_STEPS } = process.env;
  if (KILL_STEPS !== undefined) process.on('exit', () => fs.writeFileSync(KILL_STEPS, String(steps)));
}
