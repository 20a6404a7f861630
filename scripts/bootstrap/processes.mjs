import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { delimiter, join } from 'node:path';

/** @typedef {import('./environment.mjs').Env} Env */

const forwarded = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const outputCharsMax = 8192;

/** An error that the user can fix: printed without a stack. */
export class BootstrapError extends Error {
  /**
   * @param {string} message includes what to do next
   * @param {{ exitCode?: number, cause?: unknown }} [options]
   */
  constructor(message, { exitCode = 1, cause } = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/**
 * Runs a step to its end without output. If it fails, throws a BootstrapError with the command and
 * its last lines. A signal to us also ends the step, so locks and temporary folders are removed.
 * @param {string} file
 * @param {string[]} args
 * @param {{ cwd: string, env: Env, timeoutMs?: number }} options
 */
export async function runStep(file, args, { cwd, env, timeoutMs }) {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
  let output = '';
  const keepTail = (/** @type {string} */ text) => {
    output = (output + text).slice(-outputCharsMax);
  };
  child.stdout.setEncoding('utf8').on('data', keepTail);
  child.stderr.setEncoding('utf8').on('data', keepTail);

  const signals = forwardSignals(child);
  const [exitCode, signal] = await once(child, 'close').catch((cause) => {
    throw new BootstrapError(`${file} could not be started: ${cause.message}`, { cause });
  });
  signals.stop();

  if (signals.received) {
    throw new BootstrapError(`stopped by ${signals.received}`, {
      exitCode: 128 + osConstants.signals[signals.received],
    });
  }
  if (exitCode !== 0) {
    const ended = signal ? `was ended by ${signal}` : `failed with exit code ${exitCode}`;
    throw new BootstrapError(`\`${[file, ...args].join(' ')}\` ${ended}:\n${lastLines(output)}`);
  }
}

/**
 * The closest to exec(3) in Node 20: the command gets our terminal and signals, and we exit like
 * it.
 * @param {string} file
 * @param {string[]} args
 * @param {Env} env
 */
export async function becomeCommand(file, args, env) {
  const { exitCode, signal } = await runInForeground(file, args, env);
  if (signal) process.kill(process.pid, signal);
  else process.exitCode = exitCode;
}

/**
 * Runs a command with our terminal. It gets our signals, of which `received` is the last.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {Env} env
 * @returns {Promise<{ exitCode: number, signal: NodeJS.Signals | null, received: NodeJS.Signals | undefined }>}
 */
export async function runInForeground(file, args, env) {
  const child = spawn(file, args, { stdio: 'inherit', env });
  const signals = forwardSignals(child);
  const [exitCode, signal] = await once(child, 'close').catch((cause) => {
    throw new BootstrapError(`${file} could not be started: ${cause.message}`, { cause });
  });
  signals.stop();
  return { exitCode, signal, received: signals.received };
}

/**
 * @param {string} name
 * @returns {string[]} every executable file of that name on PATH, each once however many links lead
 * to it
 */
export function onPath(name) {
  const files = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name));
  const byTarget = new Map(
    files
      .filter(executable)
      .reverse()
      .map((file) => [realpathSync(file), file]),
  );
  // The link, not its target: version managers choose the program by the name of the link.
  return [...byTarget.values()].reverse();
}

/** @param {string} file */
function executable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * A terminal sends Ctrl-C to the whole foreground process group, including the child. Forwarding it
 * would send it twice, and a second SIGINT often means "immediately".
 * @param {import('node:child_process').ChildProcess} child
 */
function forwardSignals(child) {
  const inTerminal = process.stdin.isTTY || process.stderr.isTTY;
  const state = {
    /** @type {typeof forwarded[number] | undefined} */
    received: undefined,
    stop() {
      for (const signal of forwarded) process.off(signal, forward);
    },
  };
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    state.received = /** @type {typeof forwarded[number]} */ (signal);
    if (!inTerminal || signal === 'SIGTERM') child.kill(signal);
  };
  for (const signal of forwarded) process.on(signal, forward);
  return state;
}

/** @param {string} output */
function lastLines(output) {
  const lines = output.trimEnd().split('\n').slice(-15);
  return lines.map((line) => `  ${line}`).join('\n');
}
