import type { CallEvent } from '@ambit/api';
import type { Actor } from '@ambit/core/audit';
import { eventRing, type JobEvent } from './event-ring.ts';
import { eventual } from './eventual.ts';
import type { JobResponse } from './job-response.ts';
import type { UnreadMemory } from './unread-memory.ts';

/** A running or finished call, chain or batch. */
export interface Job {
  readonly executionId: string;
  /** `null` for a chain or a batch. */
  readonly skillId: string | null;
  /** The key or user that started it. */
  readonly actor: Actor;
  /** Milliseconds since the epoch, like `endedAt`. */
  readonly startedAt: number;
  state(): JobState;
  /** Resolves when its record is durable or it has ended. */
  recorded(): Promise<void>;
  /** Resolves when it has ended; never rejects. */
  ended(): Promise<JobResponse>;
  /** Aborts its signal; it ends soon after. */
  cancel(reason: Error): void;
  /**
   * The stored events after an id, in order; the last one is the response. `missed` counts events in between that are no
   * longer stored.
   */
  eventsAfter(id: number): { missed: number; events: readonly JobEvent[]; isOver: boolean };
  /**
   * The id after which a reader that names `id` resumes: `id`, or the latest event for an id that no event has had, so the
   * reader always receives the response.
   */
  resumeId(id: number): number;
  /** The memory of its stored events. */
  eventBytes(): number;
  /**
   * Calls `onNews` whenever there is more to read. `taken` returns the id of the last event that the reader has: later
   * events are stored longer, as far as memory allows. Returns a function that ends the subscription.
   */
  subscribe(onNews: () => void, taken?: () => number): () => void;
}

/** A job for the code that runs it. */
export interface OpenJob extends Job {
  /** Aborts when the job is canceled, its key is revoked, the daemon stops, or its lifetime ends. */
  readonly signal: AbortSignal;
  /** Stores an event and wakes readers. For a job that only its client waits for, once it has a reader. */
  readonly emit: EmitEvent;
  /** The names of the emitted events. */
  readonly emitted: ReadonlySet<CallEvent['event']>;
  /** Ends the job, once. */
  finish(response: JobResponse): void;
}

type JobState =
  | { status: 'queued' | 'running' }
  | { status: 'finished'; endedAt: number; response: JobResponse };

/**
 * The time that a job may run: while its client waits, while a client follows its events, or until it ends by
 * itself.
 */
export type Lifetime =
  /** `whenGone` calls `abort` once the client has disconnected. */
  | { kind: 'client'; whenGone(abort: (reason: Error) => void): void }
  | { kind: 'watchers' }
  | { kind: 'detached' };

/** Reports a name and JSON data. `queued` means that the record is durable, `started` that the call left the queue. */
export interface EmitEvent {
  (name: CallEvent['event'], data: object): void;
  /** See `RunObserver`. */
  whenRead?: ((start: () => void) => void) | undefined;
}

/** A job and its bounds. */
export interface JobOptions {
  executionId: string;
  skillId: string | null;
  actor: Actor;
  lifetime: Lifetime;
  /** Memory for its events; `unread` adds memory for events that a reader has not taken yet. */
  eventBytesMax: number;
  unread: UnreadMemory;
  /** The time that a job with the lifetime `watchers` runs without any. */
  graceMs: number;
  /** Aborts the controller when the daemon stops or the key is revoked, until the returned function is called. */
  abortWith(controller: AbortController): () => void;
  /** Called when it has ended. */
  onFinished(): void;
  now(): number;
}

/** Opens a job. The caller runs it with `signal` and `emit`, and calls `finish` with its response. */
export function openJob(options: JobOptions): OpenJob {
  const { executionId, skillId, actor, lifetime, now } = options;
  const canceled = new AbortController();
  const newRing = () => eventRing(options.eventBytesMax, options.unread);
  // The usual job has one client, which waits for the response. Others seldom read it.
  let ring = lifetime.kind === 'client' ? undefined : newRing();
  let start: (() => void) | undefined;
  const watchers = new Set<() => void>();
  const emitted = new Set<CallEvent['event']>();
  let state: JobState = { status: ring === undefined ? 'running' : 'queued' };
  const recorded = eventual<void>();
  const ended = eventual<JobResponse>();
  let grace: NodeJS.Timeout | undefined;

  const wake = (): void => {
    for (const watcher of watchers) watcher();
  };
  const emit: EmitEvent = (name, data) => {
    if (ring === undefined) return;
    emitted.add(name);
    if (state.status === 'queued' && name === 'started') state = { status: 'running' };
    ring.add(name, JSON.stringify(data));
    recorded.resolve();
    wake();
  };
  if (ring === undefined)
    emit.whenRead = (begin) => {
      start = begin;
    };
  const waitForWatchers = (): void => {
    if (lifetime.kind !== 'watchers' || watchers.size > 0 || state.status === 'finished') return;
    grace = setTimeout(
      () => canceled.abort(new Error('no client has followed it for a while')),
      options.graceMs,
    );
    // A stop does not wait for this timer.
    grace.unref();
  };
  const forget = options.abortWith(canceled);
  if (lifetime.kind === 'client') lifetime.whenGone((reason) => canceled.abort(reason));
  waitForWatchers();

  return {
    executionId,
    skillId,
    actor,
    startedAt: now(),
    recorded: recorded.promise,
    ended: ended.promise,
    signal: canceled.signal,
    emit,
    emitted,
    finish(response) {
      forget();
      state = { status: 'finished', endedAt: now(), response };
      clearTimeout(grace);
      recorded.resolve();
      wake();
      options.onFinished();
      ended.resolve(response);
    },
    state: () => state,
    cancel: (reason) => canceled.abort(reason),
    eventsAfter(id) {
      const { missed, events } = ring?.after(id) ?? { missed: 0, events: [] };
      if (state.status !== 'finished') return { missed, events, isOver: false };
      const { kind, body } = state.response;
      const last = { id: (ring?.lastId() ?? 0) + 1, name: kind, data: body.bytes };
      return { missed, events: last.id > id ? [...events, last] : [], isOver: true };
    },
    resumeId(id) {
      const latest = ring?.lastId() ?? 0;
      const isKnown = id <= latest || (id === latest + 1 && state.status === 'finished');
      return isKnown ? id : latest;
    },
    eventBytes: () => ring?.bytes() ?? 0,
    subscribe(onNews, taken) {
      // A new function, so the same listener can subscribe twice.
      const watcher = (): void => onNews();
      watchers.add(watcher);
      clearTimeout(grace);
      if (ring === undefined && state.status !== 'finished') {
        ring = newRing();
        start?.();
      }
      const stopReading = taken && ring?.read(taken);
      return () => {
        stopReading?.();
        if (watchers.delete(watcher)) waitForWatchers();
      };
    },
  };
}
