import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SandboxedProgram } from './sandbox/sandbox.ts';

/** What a skill wants to have waiting. */
interface Wish {
  skillId: string;
  /** All that its programs are started with: a program is used only for a call with the same. */
  key: string;
  count: number;
  start(): Promise<SandboxedProgram>;
  /** The key as it is now: what was started while it changed is not kept. */
  currentKey(): Promise<string>;
}

/** Programs that were started ahead of need and wait for their input. Each is used once. */
export interface Prewarmed {
  /** One that waits for exactly this, which is the caller's from then on; `undefined` when there is none. */
  take(skillId: string, key: string): SandboxedProgram | undefined;
  /**
   * Sees to it that as many programs wait as are wished for, and ends those of the skill that wait under another key.
   * Resolves when they have been started; rejects when one cannot be, and does not try again before the next time.
   */
  keep(wish: Wish): Promise<void>;
  load(): PrewarmedLoad;
  /** Ends all that wait, and takes no more. */
  close(): Promise<void>;
}

/** How many programs of all skills together wait, and are being started to. */
export interface PrewarmedLoad {
  waiting: number;
  starting: number;
}

interface Shelf {
  key: string;
  programs: Set<SandboxedProgram>;
  /** Those that are being started. */
  coming: Set<Promise<void>>;
  /** When a call last had to do with it. */
  usedAt: number;
  /** Nothing is put here any more: another shelf stands in its place, or what waited here did not stay. */
  ended: boolean;
}

/** How long the walls of one that nobody waits for may take to rise. */
const startMs = 20_000;

/** After so long without a call a skill's programs make room for those of others. */
const unusedMs = 60_000;

/** Shelves, one a skill; `most` is for all of them together. */
export function prewarmed(most: number): Prewarmed {
  const shelves = new Map<string, Shelf>();
  const keeping = new Set<Promise<void>>();
  let closed = false;

  const load = (): PrewarmedLoad => {
    const all = [...shelves.values()];
    return {
      waiting: all.reduce((sum, { programs }) => sum + programs.size, 0),
      starting: all.reduce((sum, { coming }) => sum + coming.size, 0),
    };
  };
  const total = (): number => {
    const { waiting, starting } = load();
    return waiting + starting;
  };

  const shelfOf = (skillId: string, key: string): Shelf => {
    const there = shelves.get(skillId);
    if (there?.key === key) return there;
    if (there !== undefined) void clear(there);
    const shelf = {
      key,
      programs: new Set<SandboxedProgram>(),
      coming: new Set<Promise<void>>(),
      usedAt: performance.now(),
      ended: false,
    };
    shelves.set(skillId, shelf);
    return shelf;
  };

  /** Ends one of a skill that nobody has called for a while; it may not even be there any more. */
  const makeRoom = async (): Promise<boolean> => {
    const [longest] = [...shelves.values()]
      .filter(({ programs, usedAt }) => programs.size > 0 && performance.now() - usedAt > unusedMs)
      .toSorted((a, b) => a.usedAt - b.usedAt);
    const [program] = longest?.programs ?? [];
    if (program === undefined) return false;
    longest?.programs.delete(program);
    await program.close();
    return true;
  };

  const stock = async ({ skillId, key, count, start, currentKey }: Wish): Promise<void> => {
    // The call that has just ended is answered first: to start a program takes this thread milliseconds.
    await nextTurn();
    if (closed) return;
    const shelf = shelfOf(skillId, key);
    shelf.usedAt = performance.now();
    // One after another, so that calls get a turn in between, and no more than are wished for: those that end at once
    // would be started for ever.
    for (let started = 0; started < count && !shelf.ended; started++) {
      if (shelf.programs.size + shelf.coming.size >= count) break;
      if (total() >= most && !(await makeRoom())) break;
      const coming = start().then((program) => put(shelf, program, currentKey));
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
      // What one that has ended has written is on its way to nobody already.
      const program = [...shelf.programs].find((each) => !each.hasExited());
      if (program !== undefined) shelf.programs.delete(program);
      return program;
    },
    async keep(wish) {
      const kept = stock(wish);
      keeping.add(kept);
      try {
        await kept;
      } finally {
        keeping.delete(kept);
      }
    },
    load,
    async close() {
      closed = true;
      await Promise.all([...shelves.values()].map(clear));
      await Promise.allSettled(keeping);
    },
  };
}

async function put(
  shelf: Shelf,
  program: SandboxedProgram,
  currentKey: () => Promise<string>,
): Promise<void> {
  if (shelf.ended) return program.close();
  shelf.programs.add(program);
  void program.ended.then(() => {
    if (!shelf.programs.delete(program)) return undefined;
    // It has not waited, and the next would not either.
    shelf.ended = true;
    return program.close();
  });
  const tooLong = setTimeout(() => program.stop({ status: 'timed-out' }), startMs);
  await program.release();
  clearTimeout(tooLong);
  if ((await currentKey()) !== shelf.key && shelf.programs.delete(program)) await program.close();
}

async function clear(shelf: Shelf): Promise<void> {
  shelf.ended = true;
  const programs = [...shelf.programs];
  shelf.programs.clear();
  await Promise.all(programs.map((program) => program.close()));
}
