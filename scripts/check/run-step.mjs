import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { installerEnv } from '../bootstrap/environment.mjs';

/**
 * @typedef {{ name: string, passed: number, failed: number, skipped: number, durationMs: number,
 * output: string }} StepResult
 */

/**
 * Runs one check and captures its output. A program that cannot be started is a failed step.
 * @param {string} root
 * @param {import('./steps.mjs').CheckStep} step
 * @param {AbortSignal} signal
 * @returns {Promise<StepResult>}
 */
export async function runStep(root, { name, program = process.execPath, args }, signal) {
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: root,
    env: installerEnv(process.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      output += text;
    });
  }
  const exitCode = await once(child, 'close').then(
    ([code]) => code,
    (error) => {
      if (signal.aborted) throw error;
      output += `${program} could not be started: ${error.message}; \`npm test\` installs everything that is needed`;
    },
  );
  const passed = exitCode === 0 ? 1 : 0;
  return { name, passed, failed: 1 - passed, skipped: 0, durationMs: performance.now() - startedAt, output };
}
