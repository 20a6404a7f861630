// Runs what takes too long for `npm test`, in parts. Without names, every part that can run on this machine. Options belong to
// the last name. The last line has the totals of the parts.
//
//   npm run test:all -- --list
//   npm run test:all
//   npm run test:all -- image service
//   npm run test:all -- cluster --fault killed

import './bootstrap/no-compile-cache.mjs';
import { fileURLToPath } from 'node:url';
import { runInForeground } from './bootstrap/processes.mjs';
import { busy } from './check/needs.mjs';
import { parts } from './check/parts.mjs';
import { printSummary } from './check/report.mjs';
import { selectParts } from './check/select-parts.mjs';

/** @typedef {import('./check/parts.mjs').Part} Part */
/** @typedef {import('./check/run-step.mjs').StepResult} StepResult */

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
process.exitCode = await testAll(process.argv.slice(2));

/**
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
async function testAll(args) {
  if (args.length === 1 && args[0] === '--list') return list();
  const selected = selectParts(parts, args);
  if (typeof selected === 'string') {
    console.error(selected);
    return 2;
  }
  /** @type {StepResult[]} */
  const results = [];
  for (const { part, args: more } of selected) {
    const { isStopped, ...result } = await run(part, more, args.length > 0);
    results.push(result);
    if (isStopped) break;
  }
  return printSummary(results);
}

function list() {
  const width = Math.max(...parts.map(({ name }) => name.length)) + 2;
  for (const { name, checks, time, needs = [], needsQuiet, takes } of parts) {
    const needed = [...needs.map((need) => need.name), ...(needsQuiet ? ['a quiet machine'] : [])];
    const more = [takes && `takes ${takes}`, needed.length > 0 && `needs ${needed.join(', ')}`].filter(
      Boolean,
    );
    console.log([`${name.padEnd(width)}${time.padStart(7)}  ${checks}`, ...more].join('; '));
  }
  return 0;
}

/**
 * @param {Part} part
 * @param {readonly string[]} args
 * @param {boolean} isNamed
 * @returns {Promise<StepResult & { isStopped?: boolean }>} `isStopped`: by a signal, after which nothing else runs
 */
async function run(part, args, isNamed) {
  const { name, checks, command, time, isWhole } = part;
  const why = await whyNot(part, args, isNamed);
  if (why !== undefined) {
    console.log(`${name} is left out: ${why}`);
    return { name, passed: 0, failed: 0, skipped: 1, durationMs: 0, output: `left out: ${why}` };
  }
  console.log(`\n${name} (about ${time}): ${checks}`);
  const startedAt = performance.now();
  const env = { ...process.env };
  if (isWhole) env['TEST_WHOLE'] = '1';
  if (!process.stdout.isTTY) env['NO_COLOR'] = '1';
  const { exitCode, received } = await runInForeground(process.execPath, [...command, ...args], env);
  const passed = exitCode === 0 ? 1 : 0;
  const durationMs = performance.now() - startedAt;
  return {
    name,
    passed,
    failed: 1 - passed,
    skipped: 0,
    durationMs,
    output: '',
    isStopped: received !== undefined,
  };
}

/**
 * Returns why a part cannot run.
 * @param {Part} part
 * @param {readonly string[]} args
 * @param {boolean} isNamed
 */
async function whyNot({ needs = [], needsQuiet, requires, isInSuites }, args, isNamed) {
  if (requires !== undefined && args.length === 0) return requires;
  if (isInSuites && !isNamed) return 'the part suites has it';
  for (const need of needs) {
    const why = await need.why(root, args);
    if (why !== undefined) return why;
  }
  return needsQuiet && !isNamed ? busy() : undefined;
}
