import { spawn } from 'node:child_process';

/**
 * Runs a program and returns its stdout. Rejects with the end of its output if it fails.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string> }} [options]
 * @returns {Promise<string>}
 */
export function run(program, args, { cwd, env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (part) => (output += part));
    child.stderr.on('data', (part) => (errors += part));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) return resolve(output);
      reject(new Error(`${program} ${args[0] ?? ''} ended with ${code}:\n${(output + errors).slice(-4000)}`));
    });
  });
}
