import type { RunWatch } from '@ambit/core';
import type { Tell } from '../../executions/execution.ts';

/** A watch that tells what happens in a run under its kind; `more` is told with each. */
export function tellRunEvent(tell: Tell, more: object = {}): RunWatch {
  return ({ kind, ...data }) => tell(kind, { ...more, ...data });
}
