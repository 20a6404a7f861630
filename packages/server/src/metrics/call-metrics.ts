import { type AuditEvent, type CallFinished, entryPoints, type RecordedSkill } from '@ambit/core/audit';
import type { Denial } from '@ambit/core/policy';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { AuditObserver } from '../audit/audit-observer.ts';

interface OpenCall {
  skill: string;
  via: string;
}

/**
 * In seconds: calls that start no process take about a millisecond, and few take more than a
 * minute.
 */
const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Refusals with alerts in docs/operations.md. Prometheus sees no increase in a series that begins
 * with 1, so these begin with 0.
 */
const alerting = ['INTERNAL', 'OVERLOADED', 'SANDBOX_UNAVAILABLE'];

/**
 * Counts calls from their audit events, once these are durable. Every call has a record, whatever
 * its entry point.
 */
export function callMetrics(registry: Registry): AuditObserver {
  const registers = [registry];
  const calls = new Counter({
    name: 'ambit_calls_total',
    help: 'Calls that ran, by outcome.',
    labelNames: ['skill', 'via', 'outcome'],
    registers,
  });
  const refusals = new Counter({
    name: 'ambit_refusals_total',
    help: 'Calls and requests that were refused or could not start.',
    labelNames: ['via', 'code'],
    registers,
  });
  for (const via of entryPoints) for (const code of alerting) refusals.inc({ via, code }, 0);
  const denials = new Counter({
    name: 'ambit_denials_total',
    help: 'Capabilities that calls requested or tried to use without a grant.',
    labelNames: ['capability'],
    registers,
  });
  const run = new Histogram({
    name: 'ambit_call_run_seconds',
    help: 'Run time of calls, from the start of the sandbox to its end.',
    labelNames: ['skill'],
    buckets,
    registers,
  });
  const queued = new Histogram({
    name: 'ambit_call_queue_seconds',
    help: 'Time that calls waited in the queue before they ran.',
    buckets,
    registers,
  });
  const unwritten = new Counter({
    name: 'ambit_audit_append_failures_total',
    help: 'Events that the audit log could not store. Their calls did not run, or were answered with an error.',
    registers,
  });

  const labelOf = skillLabels();
  const open = new Map<string, OpenCall>();
  const deny = (list: readonly Denial[] = []): void => {
    for (const { capability } of list) denials.inc({ capability });
  };
  const finish = (call: OpenCall | undefined, { outcome, usage, denied }: CallFinished): void => {
    const { skill, via } = call ?? { skill: labelOf({ id: '' }), via: 'none' };
    calls.inc({ skill, via, outcome });
    run.observe({ skill }, usage.durationMs / 1000);
    queued.observe(usage.queueMs / 1000);
    deny(denied);
  };
  const count = (event: AuditEvent): void => {
    switch (event.kind) {
      case 'call.started':
        open.set(event.executionId, { skill: labelOf(event.skill), via: event.via });
        return;
      case 'call.finished':
        finish(open.get(event.executionId), event);
        return;
      case 'call.denied':
        refusals.inc({ via: open.get(event.executionId)?.via ?? 'none', code: event.code });
        deny(event.denied);
        return;
      case 'request.denied':
      case 'auth.rejected':
        refusals.inc({ via: event.via, code: event.code });
        return;
      default:
        // Events about the log itself, and calls of an earlier daemon.
        return;
    }
  };
  const close = (event: AuditEvent): void => {
    if (event.kind === 'call.finished' || event.kind === 'call.denied') open.delete(event.executionId);
  };
  return {
    onRecorded(event) {
      count(event);
      close(event);
    },
    onFailed(event) {
      unwritten.inc();
      close(event);
    },
  };
}

/** Each skill has a series per outcome. */
const skillsMax = 500;

/**
 * The label of a skill: its id; `_unknown` if the catalog has no such skill, so that callers cannot
 * create series by inventing names; `_other` after the first five hundred skills.
 */
function skillLabels(): (skill: RecordedSkill) => string {
  const seen = new Set<string>();
  return (skill) => {
    if (!('digest' in skill)) return '_unknown';
    if (seen.size < skillsMax) seen.add(skill.id);
    return seen.has(skill.id) ? skill.id : '_other';
  };
}
