// Runs all checks: format, lint, types, import rules, dead code, clean files, and all tests. A
// failed step does not stop the others. The last line has the totals.
//
//   node scripts/check.mjs [--only lint,types,unit,…] [--no-tests] [--times]

import './bootstrap/no-compile-cache.mjs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureChromium, ensureDockerRegistry, ensurePackagedData } from './bootstrap/system-packages.mjs';
import { leftOut } from './check/left-out.mjs';
import { runAsOrdinaryUser } from './check/ordinary-user.mjs';
import { printStep, printSummary } from './check/report.mjs';
import { runStep } from './check/run-step.mjs';
import { selectSteps, stepNames } from './check/steps.mjs';
import { runTests } from './check/tests.mjs';

/** @typedef {import('./check/run-step.mjs').StepResult} StepResult */

const root = fileURLToPath(new URL('..', import.meta.url));
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());

try {
  process.exitCode = await check(process.argv.slice(2));
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.error('stopped');
  process.exitCode = 130;
}

/**
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
async function check(args) {
  const selected = select(args);
  if (typeof selected === 'string') {
    console.error(
      `${selected}\nusage: node scripts/check.mjs [--only ${stepNames().join(',')}] [--no-tests] [--times]`,
    );
    return 2;
  }
  const results = await runTwoAtATime(selected.checks);
  if (selected.projects.includes('e2e')) {
    await ensureDockerRegistry(root);
    await ensureChromium(root);
    await ensurePackagedData(root);
  }
  /** @type {string[]} */
  let notes = [];
  if (selected.projects.length > 0) {
    const { result, reports } = await runTests(root, selected.projects, stop.signal, selected.everyFile);
    results.push(result);
    notes = await leftOut(root, reports, process.env['TEST_WHOLE'] === '1');
  }
  if (selected.asUser) results.push(...(await runAsOrdinaryUser(root, stop.signal)));
  return printSummary(results, notes);
}

/** @param {string[]} args */
function select(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: { type: 'string' },
        'no-tests': { type: 'boolean', default: false },
        times: { type: 'boolean', default: false },
      },
    });
    return { ...selectSteps(values.only?.split(','), !values['no-tests']), everyFile: values.times };
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * Linters and compilers use one core each. The tests measure time, so they run afterwards and
 * alone.
 * @param {readonly import('./check/steps.mjs').CheckStep[]} steps
 */
async function runTwoAtATime(steps) {
  /** @type {StepResult[]} */
  const results = [];
  const waiting = [...steps];
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const result = await runStep(root, step, stop.signal);
      printStep(result, step.prints);
      results.push(result);
    }
  };
  await Promise.all([work(), work()]);
  const order = steps.map((step) => step.name);
  return results.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}
