import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from './list-files.mjs';
import { processorTimeVariable, testTimes } from './test-times.mjs';

/** @typedef {import('./run-step.mjs').StepResult} StepResult */
/** @typedef {{ name: string, status: string, assertionResults: { status: string }[] }} FileReport */

/**
 * Runs Vitest once over the projects. Prints the processor time that the tests used, of each file with `everyFile`.
 * @param {string} root
 * @param {readonly string[]} projects
 * @param {AbortSignal} signal
 * @param {boolean} everyFile
 * @returns {Promise<{ result: StepResult, reports: readonly FileReport[] }>}
 */
export async function runTests(root, projects, signal, everyFile) {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-check-'));
  const [reportFile, measured] = [join(folder, 'report.json'), join(folder, 'times')];
  try {
    const selection = projects.flatMap((project) => ['--project', project]);
    const env = { ...terminalEnv(), [processorTimeVariable]: measured };
    const { result, reports } = await runVitest('tests', selection, {
      reportFile,
      place: { cwd: root, env, signal },
    });
    const filesMax = everyFile ? Number.POSITIVE_INFINITY : 10;
    console.log(`\n${testTimes(root, { measured, reports, paths: listFiles(root), filesMax })}`);
    return { result, reports };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Its own report goes to the terminal, and the counts come from its JSON report.
 * @param {string} name of the step
 * @param {readonly string[]} selection of tests
 * @param {{ node?: string, reportFile: string, place: import('node:child_process').SpawnOptions }} options
 * @returns {Promise<{ result: StepResult, reports: readonly FileReport[] }>}
 */
export async function runVitest(name, selection, { node = process.execPath, reportFile, place }) {
  const startedAt = performance.now();
  const reporter = './scripts/check/progress.mjs';
  const args = ['node_modules/vitest/vitest.mjs', 'run', `--reporter=${reporter}`, '--reporter=json'];
  args.push(`--outputFile.json=${reportFile}`, ...selection);
  const child = spawn(node, args, { ...place, stdio: ['ignore', 'inherit', 'inherit'] });
  const [exitCode] = await once(child, 'close');
  const report = await readFile(reportFile, 'utf8').catch(() => undefined);
  /** @type {FileReport[]} */
  const reports = report === undefined ? [] : JSON.parse(report).testResults;
  return { result: { ...countTests(reports, exitCode, performance.now() - startedAt), name }, reports };
}

/**
 * A file that does not load counts as a failed test. So does a run without tests or with an error
 * outside tests.
 * @param {readonly FileReport[]} files of Vitest's JSON report; empty if it wrote none
 * @param {number | null} exitCode
 * @param {number} durationMs
 * @returns {StepResult}
 */
export function countTests(files, exitCode, durationMs) {
  const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === 'passed').length;
  const failedTests = statuses.filter((status) => status === 'failed').length;
  const skipped = statuses.length - passed - failedTests;
  const unloaded = files.filter(({ status, assertionResults }) => {
    return status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
  }).length;
  const failed = failedTests + unloaded || (exitCode === 0 && passed > 0 ? 0 : 1);
  const output = failed === 0 || passed + failedTests > 0 ? '' : 'Vitest ran no tests';
  return { name: 'tests', passed, failed, skipped, durationMs, output };
}

/** Vitest colours its report even in a file; a log is easier to read without colours. */
function terminalEnv() {
  return process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' };
}
