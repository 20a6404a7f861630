import { readdir } from 'node:fs/promises';
import { acknowledgedCalls, type History, meaningOf } from './history.ts';

/** Something that must not happen, with the key that it happened to. */
export interface Violation {
  kind: 'doubled' | 'lost' | 'unexpected';
  key: string;
  what: string;
}

/** The runs of each key by the files that they left, `KEY.EXECUTION`: a trace outside of what Ambit stores. */
export async function runsIn(folder: string): Promise<Map<string, readonly string[]>> {
  const runs = new Map<string, string[]>();
  for (const name of await readdir(folder)) {
    const [key = '', executionId = ''] = name.split('.');
    runs.set(key, [...(runs.get(key) ?? []), executionId]);
  }
  return runs;
}

/**
 * Checks what clients saw against what ran. No key has more than one run. All acknowledged answers of a key are the same, also
 * later ones, and none follows or precedes a refusal that says the call was interrupted. What was acknowledged has run.
 */
export function violationsIn(
  history: Pick<History, 'attempts'>,
  runs: Map<string, readonly string[]>,
): Violation[] {
  const found: Violation[] = [];
  for (const [key, executions] of runs)
    if (executions.length > 1)
      found.push({ kind: 'doubled', key, what: `ran as ${executions.join(' and ')}` });
  const acknowledged = acknowledgedCalls(history);
  for (const { key, via, response } of history.attempts) {
    if (response === undefined) continue;
    const known = acknowledged.get(key);
    const { is } = meaningOf(response);
    if (is === 'unexpected') found.push({ kind: 'unexpected', key, what: `${via}: ${described(response)}` });
    else if (is === 'interrupted' && known !== undefined)
      found.push({
        kind: 'lost',
        key,
        what: `${known.executionId} was acknowledged, and ${via} says interrupted`,
      });
    else if (is === 'acknowledged' && known?.text !== response.text)
      found.push({
        kind: 'doubled',
        key,
        what: `${known?.executionId} was acknowledged, and ${via} says ${described(response)}`,
      });
  }
  for (const { key, executionId } of acknowledged.values())
    if (!runs.get(key)?.includes(executionId))
      found.push({ kind: 'lost', key, what: `${executionId} was acknowledged and left no trace` });
  return found;
}

function described({ status, text }: { status: number; text: string }): string {
  return `${status} ${text.slice(0, 300)}`;
}
