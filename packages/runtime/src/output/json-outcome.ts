import type { Outcome } from '@ambit/core';
import type { JsonThread } from '../json/json-thread.ts';
import { readOutput } from '../json/read-output.ts';

/**
 * What a skill with protocol json has written, as an outcome: its output, or why it is none. `log` goes with the latter.
 * With a `json` thread an output that is large is a `JsonText`; without one it is built here.
 */
export async function jsonOutcome(
  bytes: Uint8Array,
  log: string,
  json: JsonThread | undefined,
): Promise<Outcome> {
  const invalid = (detail: string): Outcome => ({ status: 'output-invalid', detail, stderr: log });
  if (bytes.length === 0) return invalid('the skill gave no output');
  const read = await (json === undefined ? readOutput(bytes) : json.readOutput(bytes));
  return 'problem' in read
    ? invalid(`the skill's output ${read.problem}`)
    : { status: 'succeeded', output: read.value };
}
