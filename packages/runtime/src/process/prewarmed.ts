import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SandboxedProgram } from './sandbox/sandbox.ts';

/** Programs that were started ahead of need and wait for their input. Each is used once. */
export interface Prewarmed {
  /** One that waits for exactly this, which is the caller's from then on; `undefined` when there is none. */
  take(skillId: string, key: string): SandboxedProgram | undefined;
  /**
   * Sees to it that `count` programs wait for this skill under `key`, and ends those that wait under another. Resolves
   * when they have been started; rejects when one cannot be, and does not try again before the next time.
   */
  keep(skillId: string, key: string, count: number, start: () => Promise<SandboxedProgram>): Promise<void>;
  /** Ends all that wait, and takes no more. */
  close(): Promise<void>;
}

interface Shelf {
  key: string;
  programs: Set<SandboxedProgram>;
  /** Those that are being started. */
  coming: Set<Promise<void>>;
  discarded: boolean;
}

/** Shelves, one a skill. */
export function prewarmed(): Prewarmed {
  const shelves = new Map<string, Shelf>();
  const keeping = new Set<Promise<void>>();
  let closed = false;

  const shelfOf = (skillId: string, key: string): Shelf => {
    const there = shelves.get(skillId);
    if (there?.key === key) return there;
    if (there !== undefined) void discard(there);
    const shelf = {
      key,
      programs: new Set<SandboxedProgram>(),
      coming: new Set<Promise<void>>(),
      discarded: false,
    };
    shelves.set(skillId, shelf);
    return shelf;
  };

  const stock = async (
    skillId: string,
    key: string,
    count: number,
    start: () => Promise<SandboxedProgram>,
  ): Promise<void> => {
    // The call that has just ended is answered first: to start a program takes this thread milliseconds.
    await nextTurn();
    if (closed) return;
    const shelf = shelfOf(skillId, key);
    // One after another, so that calls get a turn in between.
    while (!shelf.discarded && shelf.programs.size + shelf.coming.size < count) {
      const coming = start().then((program) => put(shelf, program));
      shelf.coming.add(coming);
      try {
        await coming;
      } finally {
        shelf.coming.delete(coming);
      }
    }
    await Promise.all(shelf.coming);
  };

  return {
    take(skillId, key) {
      const shelf = shelves.get(skillId);
      if (shelf?.key !== key) return undefined;
      const [program] = shelf.programs;
      if (program !== undefined) shelf.programs.delete(program);
      return program;
    },
    async keep(...wish) {
      const kept = stock(...wish);
      keeping.add(kept);
      try {
        await kept;
      } finally {
        keeping.delete(kept);
      }
    },
    async close() {
      closed = true;
      await Promise.all([...shelves.values()].map(discard));
      await Promise.allSettled(keeping);
    },
  };
}

async function put(shelf: Shelf, program: SandboxedProgram): Promise<void> {
  if (shelf.discarded) return program.close();
  shelf.programs.add(program);
  // One that ends before anybody wants it is of no use to anybody.
  void program.ended.then(() => (shelf.programs.delete(program) ? program.close() : undefined));
  await program.release();
}

async function discard(shelf: Shelf): Promise<void> {
  shelf.discarded = true;
  const programs = [...shelf.programs];
  shelf.programs.clear();
  await Promise.all(programs.map((program) => program.close()));
}
