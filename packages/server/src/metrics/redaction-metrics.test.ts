// Threat model: T258

import type { AuditEvent } from '@ambit/core/audit';
import { expect, test } from 'vitest';
import { metrics } from './metrics.ts';
import type { SuspectedGuessing } from './redaction-metrics.ts';

const [most, windowMs] = [100, 10 * 60_000];

/** Two events of a call, which differ from others only in what is counted. */
function call(
  executionId: string,
  actor: string,
  skill: string,
  time: number,
  redactions?: number,
): AuditEvent[] {
  const started = { kind: 'call.started', executionId, actor, skill: { id: skill }, time };
  const finished = { kind: 'call.finished', executionId, time, redactions };
  return [started, finished] as unknown as AuditEvent[];
}

test('reports a key whose redactions with one skill reach the bound, once in a window, and no other', async () => {
  const measured = metrics({ version: '1.0.0' });
  const suspected: SuspectedGuessing[] = [];
  const { onRecorded } = measured.redactions((guessing) => suspected.push(guessing));
  const events = [
    ...call('a', 'bot', 'echo', 0, most - 1),
    // Neither another key, nor another skill, nor a call without redactions.
    ...call('b', 'other', 'echo', 1, most - 1),
    ...call('c', 'bot', 'plain', 2, most - 1),
    ...call('d', 'bot', 'echo', 3),
  ];
  for (const event of events) onRecorded(event);
  expect(suspected).toEqual([]);
  for (const event of [...call('e', 'bot', 'echo', 4, 1), ...call('f', 'bot', 'echo', 5, most)])
    onRecorded(event);
  expect(suspected).toEqual([{ key: 'bot', skill: 'echo', redactions: most }]);
  for (const event of call('g', 'bot', 'echo', windowMs, most)) onRecorded(event);
  expect(suspected).toHaveLength(2);
  const { body } = await measured.scrape(undefined);
  expect(body.match(/^ambit_(?:redactions|guessing_suspected)_total .*$/gm)).toEqual([
    `ambit_redactions_total ${5 * most - 2}`,
    'ambit_guessing_suspected_total 2',
  ]);
});
