import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from '../part/shown.tsx';
import { Confirm } from './confirm.tsx';
import { isUnlocked, session, unlock } from './session.ts';
import { StepUp } from './step-up.tsx';

/** Something that takes a while. */
export interface Task {
  /** The action, for the reader: `Uploading 3 files`. */
  what: string;
  /** Absent: it changes nothing, so it needs no unlocked session. */
  asks?: {
    /** The decision: `Delete report.csv`. */
    title: string;
    /** The button that does it. */
    action: string;
    /** Whether to ask in an unlocked session too, because it cannot be undone. */
    isFinal?: boolean;
  };
  /** `signal` aborts when the view closes. `say` replaces `what`. */
  act: (signal: AbortSignal, say: (what: string) => void) => Promise<void>;
}

/** Runs one task of a view at a time. `fail` shows why one cannot start; `shown` is what a task asks, what happens, and why it failed. */
export function useTask(): {
  start(task: Task): void;
  fail(error: unknown): void;
  isBusy: boolean;
  shown: ComponentChildren;
} {
  // Unlocking the session must not ask a second time.
  const [dialog, setDialog] = useState<{ task: Required<Task>; isLocked: boolean }>();
  const [what, setWhat] = useState<string>();
  const [error, setError] = useState<unknown>();
  const closed = useRef(new AbortController());
  useEffect(() => () => closed.current.abort(), []);
  const run = async ({ what: now, act }: Task): Promise<void> => {
    const { signal } = closed.current;
    setError(undefined);
    setWhat(now);
    try {
      await act(signal, setWhat);
    } catch (failure) {
      if (!signal.aborted) setError(failure);
    }
    if (!signal.aborted) setWhat(undefined);
  };
  return {
    start(task) {
      const { asks } = task;
      const isLocked = !isUnlocked(session.value);
      if (asks !== undefined && (isLocked || asks.isFinal)) setDialog({ task: { ...task, asks }, isLocked });
      else void run(task);
    },
    fail: setError,
    isBusy: what !== undefined,
    shown: (
      <>
        <p role="status" class="quiet">
          {what !== undefined && `${what}…`}
        </p>
        {error !== undefined && <Failure error={error} />}
        {dialog?.isLocked === true && (
          <StepUp
            {...dialog.task.asks}
            act={async (code) => {
              await unlock(code);
              void run(dialog.task);
            }}
            onClose={() => setDialog(undefined)}
          />
        )}
        {dialog?.isLocked === false && (
          <Confirm
            {...dialog.task.asks}
            act={() => void run(dialog.task)}
            onClose={() => setDialog(undefined)}
          />
        )}
      </>
    ),
  };
}
