import type { AuditEvent } from '@ambit/core/audit';
import { type CallFinished, type Denial, entryPoints } from '@ambit/core/internal';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { AuditObserver } from '../audit/audit-observer.ts';
import { skillLabels } from './skill-labels.ts';

interface OpenCall {
  skill: string;
  via: string;
}

/** In seconds: what starts nothing takes one, and few calls may take more than a minute. */
const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Refusals that docs/operations.md has alerts for. Prometheus sees no increase in a series that begins with 1, so these begin
 * with 0.
 */
const alerting = ['INTERNAL', 'OVERLOADED', 'SANDBOX_UNAVAILABLE'];

/** Counts calls by their audit events, once these are durable: every call has a record, whichever way it came in. */
export function callMetrics(registry: Registry): AuditObserver {
  const registers = [registry];
  const calls = new Counter({
    name: 'ambit_calls_total',
    help: 'Calls that ran, by how they ended.',
    labelNames: ['skill', 'via', 'outcome'],
    registers,
  });
  const refusals = new Counter({
    name: 'ambit_refusals_total',
    help: 'Calls and requests that were refused, or could not be started.',
    labelNames: ['via', 'code'],
    registers,
  });
  for (const via of entryPoints) for (const code of alerting) refusals.inc({ via, code }, 0);
  const denials = new Counter({
    name: 'ambit_denials_total',
    help: 'Capabilities that calls asked for and did not get, before they ran or while they did.',
    labelNames: ['capability'],
    registers,
  });
  const run = new Histogram({
    name: 'ambit_call_run_seconds',
    help: 'How long calls ran, from the start of the sandbox to its end.',
    labelNames: ['skill'],
    buckets,
    registers,
  });
  const queued = new Histogram({
    name: 'ambit_call_queue_seconds',
    help: 'How long calls that ran had waited for a place to run in.',
    buckets,
    registers,
  });
  const unwritten = new Counter({
    name: 'ambit_audit_append_failures_total',
    help: 'Events that the audit log could not take; what they were to record did not run, or was not answered.',
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
        // What happens to the log itself, and calls of a daemon before this one.
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
