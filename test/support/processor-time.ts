import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

/** The variable with the file for a line of JSON for each file of tests; absent: nothing is measured. */
const variable = 'TEST_PROCESSOR_TIME';

const startedAt = performance.now();

/** The milliseconds of this process that are attributed to earlier files. */
const earlier = globalThis as { measuredProcessorMs?: number };

const out = process.env[variable];
if (out !== undefined)
  afterAll(() => {
    const total = processorMs();
    const ms = total - (earlier.measuredProcessorMs ?? 0);
    earlier.measuredProcessorMs = total;
    const wallMs = Math.round(performance.now() - startedAt);
    appendFileSync(out, `${JSON.stringify({ file: expect.getState().testPath, ms, wallMs })}\n`);
  });

/** The processor time of this process and of its children that have ended, in user and system mode (proc(5)). */
function processorMs(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  // A tick is a hundredth of a second on every Linux.
  return ticks * 10;
}
