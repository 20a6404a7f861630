import type { AuditEvent, CallStarted } from '@ambit/core/audit';
import { Counter, type Registry } from 'prom-client';
import type { AuditObserver } from '../audit/audit-observer.ts';

/** Redactions in the calls of one key with one skill that look like a search for a secret. */
export interface SuspectedGuessing {
  key: string | null;
  skill: string;
  /** In this window of `guessingBounds`. */
  redactions: number;
}

/** A skill that gets its own secret back has a few redactions in a call. A search has one for each guess. */
const guessingBounds = Object.freeze({ redactions: 100, windowMs: 10 * 60_000 });

/** Keys with skills that are counted at the same time; the one that was counted first is dropped. */
const pairsMax = 1000;

/**
 * Counts redactions by key and skill, from the audit events of calls. `onSuspected` is called when a key reaches
 * `guessingBounds` with a skill, once in each window.
 */
export function redactionMetrics(
  registry: Registry,
): (onSuspected: (guessing: SuspectedGuessing) => void) => AuditObserver {
  const registers = [registry];
  const redacted = new Counter({
    name: 'ambit_redactions_total',
    help: 'Secrets redacted in what calls received, wrote and returned.',
    registers,
  });
  const suspected = new Counter({
    name: 'ambit_guessing_suspected_total',
    help: 'Times that the redactions of a key with a skill looked like a search for a secret. The log names both.',
    registers,
  });
  return (onSuspected) => {
    const open = new Map<string, CallStarted>();
    const counts = new Map<string, { since: number; redactions: number }>();
    const count = (call: CallStarted, redactions: number, time: number): void => {
      redacted.inc(redactions);
      const pair = JSON.stringify([call.actor, call.skill.id]);
      const known = counts.get(pair);
      const current =
        known !== undefined && time - known.since < guessingBounds.windowMs
          ? known
          : { since: time, redactions: 0 };
      const before = current.redactions;
      current.redactions += redactions;
      counts.set(pair, current);
      const [oldest] = counts.keys();
      if (counts.size > pairsMax && oldest !== undefined) counts.delete(oldest);
      if (before >= guessingBounds.redactions || current.redactions < guessingBounds.redactions) return;
      suspected.inc();
      onSuspected({ key: call.actor, skill: call.skill.id, redactions: current.redactions });
    };
    const close = (event: AuditEvent): CallStarted | undefined => {
      if (event.kind !== 'call.finished' && event.kind !== 'call.denied') return undefined;
      const call = open.get(event.executionId);
      open.delete(event.executionId);
      return call;
    };
    return {
      onRecorded(event) {
        if (event.kind === 'call.started') open.set(event.executionId, event);
        const call = close(event);
        if (call !== undefined && event.kind === 'call.finished' && event.redactions !== undefined)
          count(call, event.redactions, event.time);
      },
      onFailed: (event) => void close(event),
    };
  };
}
