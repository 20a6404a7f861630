// Loaded into a real `ambit` process with `--import`: kills it before the step that KILL_AT_STEP names. A step is a change of
// a file, or a message to the threads of the log and the store. Without a kill, the number of steps is written to KILL_STEPS.
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread, MessagePort, Worker } from 'node:worker_threads';

const killAt = Number(process.env.KILL_AT_STEP);
let steps = 0;

function step() {
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
