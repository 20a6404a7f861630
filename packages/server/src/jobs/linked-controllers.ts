/** Aborts controllers with signals that many of them share. */
export interface LinkedControllers {
  /** Aborts the controller with the first of the signals, until the returned function is called. */
  link(controller: AbortController, signals: readonly AbortSignal[]): () => void;
}

interface ControllerGroup {
  controllers: Set<AbortController>;
  abort(): void;
}

/**
 * A signal has one listener for all controllers that are linked with it, because removing one of many
 * listeners searches them all. `AbortSignal.any` would leave a weak reference at each long-lived signal,
 * and every garbage collection would visit all of them.
 */
export function linkedControllers(): LinkedControllers {
  const linked = new Map<AbortSignal, ControllerGroup>();
  const linkedWith = (signal: AbortSignal): ControllerGroup => {
    const known = linked.get(signal);
    if (known !== undefined) return known;
    const controllers = new Set<AbortController>();
    const abort = (): void => {
      for (const controller of controllers) controller.abort(signal.reason);
    };
    const made = { controllers, abort };
    linked.set(signal, made);
    signal.addEventListener('abort', abort, { once: true });
    return made;
  };
  const unlink = (controller: AbortController, signal: AbortSignal): void => {
    const known = linked.get(signal);
    if (known?.controllers.delete(controller) !== true || known.controllers.size > 0) return;
    linked.delete(signal);
    signal.removeEventListener('abort', known.abort);
  };
  return {
    link(controller, signals) {
      for (const signal of signals) linkedWith(signal).controllers.add(controller);
      const aborted = signals.find((signal) => signal.aborted);
      if (aborted !== undefined) controller.abort(aborted.reason);
      return () => {
        for (const signal of signals) unlink(controller, signal);
      };
    },
  };
}
