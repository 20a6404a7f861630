/** @typedef {import('./run-step.mjs').StepResult} StepResult */

/**
 * Prints a line for a finished step and, if it failed or `showsOutput`, its output.
 * @param {StepResult} result
 */
export function printStep(result, showsOutput = false) {
  console.log(row(result));
  if (showsOutput || result.failed > 0) console.log(`${indent(result.output)}\n`);
}

/**
 * @param {readonly StepResult[]} results
 * @param {readonly string[]} notes before the last line, which has the totals
 * @returns {number} the exit code: 0 only if something ran and nothing failed
 */
export function printSummary(results, notes = []) {
  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ key) =>
    results.reduce((total, result) => total + result[key], 0);
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
  console.log(`\n${results.map(row).join('\n')}\n`);
  for (const note of notes) console.log(note);
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

/** @param {StepResult} result */
function row({ name, passed, failed, skipped, durationMs, output }) {
  const counts =
    passed + failed + skipped > 1
      ? `${passed} passed, ${failed} failed, ${skipped} skipped`
      : lastLine(output);
  const status = failed > 0 ? 'FAILED' : passed > 0 ? 'passed' : 'skipped';
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  return `${name.padEnd(14)}${status.padEnd(9)}${seconds.padStart(7)}  ${failed > 0 && passed === 0 ? '' : counts}`.trimEnd();
}

/** @param {string} output */
function lastLine(output) {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  return line.length > 120 ? '' : line;
}

/** @param {string} output */
function indent(output) {
  return output.trimEnd().replace(/^/gm, '  ');
}
