import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @typedef {import('./run-step.mjs').StepResult} StepResult */
/** @typedef {{ status: string, assertionResults: { status: string }[] }} FileReport */

/**
 * Runs Vitest once over the projects, its own report going to the terminal as it comes, and counts from its JSON report.
 * @param {string} root
 * @param {readonly string[]} projects
 * @param {AbortSignal} signal
 * @returns {Promise<StepResult[]>}
 */
export async function runTests(root, projects, signal) {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-check-'));
  const reportFile = join(folder, 'report.json');
  const began = performance.now();
  try {
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json'];
    args.push(`--outputFile.json=${reportFile}`, ...projects.flatMap((project) => ['--project', project]));
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: terminalEnv(),
      signal,
    });
    const [exitCode] = await once(child, 'close');
    const report = await readFile(reportFile, 'utf8').catch(() => undefined);
    return [countTests(report, exitCode, performance.now() - began)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * A file that does not load counts as one failed test, and so does a run that failed although no test did (an error
 * outside of tests) or that ran no test at all: silence is not success.
 * @param {string | undefined} report Vitest's JSON report; absent when it wrote none
 * @param {number | null} exitCode
 * @param {number} durationMs
 * @returns {StepResult}
 */
export function countTests(report, exitCode, durationMs) {
  /** @type {FileReport[]} */
  const files = report === undefined ? [] : JSON.parse(report).testResults;
  const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === 'passed').length;
  const failedTests = statuses.filter((status) => status === 'failed').length;
  const skipped = statuses.length - passed - failedTests;
  const unloaded = files.filter(({ status, assertionResults }) => {
    return status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
  }).length;
  const failed = failedTests + unloaded || (exitCode === 0 && passed > 0 ? 0 : 1);
  const output = failed === 0 || passed + failedTests > 0 ? '' : 'Vitest ran no test';
  return { name: 'tests', passed, failed, skipped, durationMs, output };
}

/** Vitest colours its report even for a file; a log is easier to read without. */
function terminalEnv() {
  return process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' };
}
