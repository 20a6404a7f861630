import type { Actor } from '@ambit/core';
import { eventRing, type JobEvent } from './event-ring.ts';
import type { JobResponse } from './job-response.ts';
import type { UnreadMemory } from './unread-memory.ts';

/** A call, or a chain or batch of them, that runs or has run. */
export interface Job {
  readonly executionId: string;
  /** `null` for a chain or a batch. */
  readonly skillId: string | null;
  /** Whose it is. */
  readonly actor: Actor;
  /** Milliseconds since the epoch, as `endedAt`. */
  readonly startedAt: number;
  state(): JobState;
  /** Resolves when its record has begun, so that it is known whatever happens, or when it has ended. */
  readonly recorded: Promise<void>;
  /** Resolves when it has ended; never rejects. */
  readonly ended: Promise<JobResponse>;
  /** The end comes a moment later; after it nothing happens. */
  cancel(reason: Error): void;
  /**
   * What happened after an event's id, as far as it is kept, in order; the end is the last of them. `missed` are those
   * between that are not kept any more.
   */
  eventsAfter(id: number): { missed: number; events: readonly JobEvent[]; isOver: boolean };
  /**
   * The id after which a reader goes on who names `id`: that one; or, where no event has had it, that of the latest before
   * the end, so that the reader has whatever follows and always the end.
   */
  resumeId(id: number): number;
  /** What the events that are kept of it come to. */
  eventBytes(): number;
  /**
   * Calls `news` whenever there is more. `taken` is the id of the last event that whoever watches has: those after it are kept
   * longer than others are, as far as there is memory for that. Absent: nothing has to be kept. Returns what ends it.
   */
  subscribe(news: () => void, taken?: () => number): () => void;
}

/** A run that has ended has its answer with it. */
type JobState =
  | { status: 'queued' | 'running' }
  | { status: 'finished'; endedAt: number; ending: JobResponse };

/** What an execution runs until: its client goes, nobody watches it for a while, or its own end. */
export type Lifetime = { to: 'client'; gone: AbortSignal } | { to: 'watchers' } | { to: 'nothing' };

/**
 * Whatever runs tells here what happens in it: a name and JSON. `queued` is told when its record has begun, `started` when
 * it has left the queue.
 */
export type EmitEvent = (name: string, data: object) => void;

/** What is run. It answers for whatever goes wrong, so that it does not reject. */
export type JobTask = (signal: AbortSignal, emit: EmitEvent | undefined) => Promise<JobResponse>;

/** Whose it is, and its bounds. */
export interface JobOptions {
  executionId: string;
  skillId: string | null;
  actor: Actor;
  lifetime: Lifetime;
  /** What its events may take, and where there is more for those that somebody has yet to take. */
  eventBytesMax: number;
  unread: UnreadMemory;
  /** How long one that is tied to its watchers goes on without any. */
  graceMs: number;
  /** Ends it: whoever began it may not any more. Absent: that does not happen. */
  revoked?: AbortSignal | undefined;
  /** Ends it too. */
  shutdown: AbortSignal;
  now(): number;
}

/** Starts a run. One that is tied to its client has no events: its client waits for the answer alone. */
export function startJob(options: JobOptions, run: JobTask): Job {
  const { executionId, skillId, actor, lifetime, revoked, shutdown, now } = options;
  const canceled = new AbortController();
  const ring = lifetime.to === 'client' ? undefined : eventRing(options.eventBytesMax, options.unread);
  const watchers = new Set<() => void>();
  let state: JobState = { status: ring === undefined ? 'running' : 'queued' };
  const recorded = Promise.withResolvers<void>();
  let grace: NodeJS.Timeout | undefined;

  const news = (): void => {
    for (const watcher of watchers) watcher();
  };
  const emit: EmitEvent = (name, data) => {
    if (state.status === 'queued' && name === 'started') state = { status: 'running' };
    ring?.add(name, JSON.stringify(data));
    recorded.resolve();
    news();
  };
  const waitForWatchers = (): void => {
    if (lifetime.to !== 'watchers' || watchers.size > 0 || state.status === 'finished') return;
    grace = setTimeout(() => canceled.abort(new Error('nobody has watched it for a while')), options.graceMs);
    // Not what a stop waits for.
    grace.unref();
  };

  const forget = abortWith(canceled, [
    ...(lifetime.to === 'client' ? [lifetime.gone] : []),
    ...(revoked === undefined ? [] : [revoked]),
    shutdown,
  ]);
  const ended = run(canceled.signal, ring && emit).then((ending) => {
    forget();
    state = { status: 'finished', endedAt: now(), ending };
    clearTimeout(grace);
    recorded.resolve();
    news();
    return ending;
  });
  waitForWatchers();

  return {
    ...{ executionId, skillId, actor, startedAt: now(), recorded: recorded.promise, ended },
    state: () => state,
    cancel: (reason) => canceled.abort(reason),
    eventsAfter(id) {
      const { missed, events } = ring?.after(id) ?? { missed: 0, events: [] };
      if (state.status !== 'finished') return { missed, events, isOver: false };
      const { kind, body } = state.ending;
      const last = { id: (ring?.lastId() ?? 0) + 1, name: kind, data: body.bytes };
      return { missed, events: last.id > id ? [...events, last] : [], isOver: true };
    },
    resumeId(id) {
      const latest = ring?.lastId() ?? 0;
      const wasHad = id <= latest || (id === latest + 1 && state.status === 'finished');
      return wasHad ? id : latest;
    },
    eventBytes: () => ring?.bytes() ?? 0,
    subscribe(listener, taken) {
      // Its own, so that one that watches twice is two.
      const watcher = (): void => listener();
      watchers.add(watcher);
      clearTimeout(grace);
      const left = taken && ring?.read(taken);
      return () => {
        left?.();
        if (watchers.delete(watcher)) waitForWatchers();
      };
    },
  };
}

/**
 * Aborts one with the first of several, until the returned function is called. `AbortSignal.any` leaves a weak reference
 * behind at one that lives on, each of which every collection of garbage has to look at.
 */
function abortWith(controller: AbortController, signals: readonly AbortSignal[]): () => void {
  const abort = (): void => controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
  if (signals.some(({ aborted }) => aborted)) abort();
  return () => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  };
}
