/**
 * The memory that all runs of a machine share. Each call reserves its limit while it runs. What waits for
 * calls, such as a prewarmed program, uses what they leave and is given up when they need it.
 */
export interface SharedMemory {
  /** `undefined` while other calls have it. A second call of the result has no effect. */
  reserve(bytes: number): (() => void) | undefined;
  /** Calls `retry` once, the next time that memory becomes free. */
  whenFreed(retry: () => void): void;
  /**
   * For what waits for a call. `undefined` if calls and others leave too little. `giveUp` ends it and resolves when its
   * memory is free. Call the result when a call takes it, or when it has ended.
   */
  holdIdle(bytes: number, giveUp: () => Promise<void>): (() => void) | undefined;
  /** Gives up what waits, the oldest first, until the reserved memory is free. A call awaits it before it starts a process. */
  makeRoom(): Promise<void>;
  /** Changes the share. Running calls keep what they have. */
  resize(shareBytes: number): void;
  /** The current values, not a copy. */
  load(): Readonly<MemoryLoad>;
}

/** In bytes. */
export interface MemoryLoad {
  share: number;
  /** By calls. */
  reserved: number;
  /** Held by programs that wait for calls. */
  idle: number;
}

interface Idle {
  bytes: number;
  giveUp(): Promise<void>;
}

/** Memory of that size, of which nothing is reserved yet. `resize` changes it. */
export function sharedMemory(shareBytes: number): SharedMemory {
  const idle = new Set<Idle>();
  const ending = new Set<Promise<void>>();
  const waiting = new Set<() => void>();
  const load: MemoryLoad = { share: shareBytes, reserved: 0, idle: 0 };

  const freed = (): void => {
    if (waiting.size === 0) return;
    const retries = [...waiting];
    waiting.clear();
    for (const retry of retries) retry();
  };
  const drop = (held: Idle): void => {
    if (idle.delete(held)) load.idle -= held.bytes;
  };

  return {
    reserve(bytes) {
      if (load.reserved + bytes > load.share) return undefined;
      load.reserved += bytes;
      let isReserved = true;
      return () => {
        if (!isReserved) return;
        isReserved = false;
        load.reserved -= bytes;
        freed();
      };
    },
    whenFreed: (retry) => void waiting.add(retry),
    holdIdle(bytes, giveUp) {
      if (load.reserved + load.idle + bytes > load.share) return undefined;
      const held = { bytes, giveUp };
      idle.add(held);
      load.idle += bytes;
      return () => drop(held);
    },
    async makeRoom() {
      for (const held of idle) {
        if (load.reserved + load.idle <= load.share) break;
        drop(held);
        const ended = held
          .giveUp()
          .catch(() => undefined)
          .finally(() => ending.delete(ended));
        ending.add(ended);
      }
      await Promise.all(ending);
    },
    resize(bytes) {
      load.share = bytes;
      freed();
    },
    load: () => load,
  };
}

/** For calls that share no memory. */
export const unlimitedMemory = (): SharedMemory => sharedMemory(Number.POSITIVE_INFINITY);
