import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SandboxedProgram } from './sandbox/sandbox.ts';

/** What a skill wants to have waiting. */
export interface PrewarmRequest {
  skillId: string;
  /** The skill's grant, as text that `retain` can compare. */
  grant: string;
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
  keep(wish: PrewarmRequest): Promise<void>;
  /**
   * Prewarms for these grants only, from now on, and ends each waiting program that would not be started the same way under
   * them. `wishFor` computes what a skill wants now; it rejects or resolves to `undefined` when nothing is granted. Resolves
   * once those programs have ended.
   */
  retain(
    grants: ReadonlySet<string>,
    wishFor: (skillId: string) => Promise<PrewarmRequest | undefined>,
  ): Promise<void>;
  load(): PrewarmedLoad;
  /** Ends all that wait, and takes no more. */
  close(): Promise<void>;
}

/** How many programs of all skills together wait, and are being started to. */
export interface PrewarmedLoad {
  waiting: number;
  starting: number;
}

interface SkillPool {
  wish: PrewarmRequest;
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

/** One shelf for each skill; `most` limits all of them together. Programs are replaced after waiting for `maxAgeMs`. */
export function prewarmed(most: number, maxAgeMs: number): Prewarmed {
  const shelves = new Map<string, SkillPool>();
  const keeping = new Set<Promise<void>>();
  const ending = new Set<Promise<void>>();
  let retained: ReadonlySet<string> | undefined;
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

  /** Adds it to the ends that `retain` and `close` wait for. */
  const awaited = (end: Promise<void>): Promise<void> => {
    ending.add(end);
    return end.finally(() => ending.delete(end));
  };

  /** Ends all programs of a shelf, including those still starting. */
  const clear = async (shelf: SkillPool): Promise<void> => {
    shelf.ended = true;
    const programs = [...shelf.programs];
    shelf.programs.clear();
    await Promise.all(programs.map((program) => program.close()));
    await Promise.allSettled(shelf.coming);
  };

  const shelfOf = (wish: PrewarmRequest): SkillPool => {
    const there = shelves.get(wish.skillId);
    if (there?.wish.key === wish.key) {
      there.wish = wish;
      return there;
    }
    if (there !== undefined) void awaited(clear(there));
    const shelf = {
      wish,
      programs: new Set<SandboxedProgram>(),
      coming: new Set<Promise<void>>(),
      usedAt: performance.now(),
      ended: false,
    };
    shelves.set(wish.skillId, shelf);
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
    await awaited(program.close());
    return true;
  };

  const stock = async (wish: PrewarmRequest): Promise<void> => {
    // The call that has just ended is answered first: to start a program takes this thread milliseconds.
    await nextTurn();
    // A call may outlive its grant; it must not prewarm with it.
    if (closed || retained?.has(wish.grant) === false) return;
    const { count, start } = wish;
    const shelf = shelfOf(wish);
    shelf.usedAt = performance.now();
    // One after another, so that calls get a turn in between, and no more than are wished for: those that end at once
    // would be started for ever.
    for (let started = 0; started < count && !shelf.ended; started++) {
      if (shelf.programs.size + shelf.coming.size >= count) break;
      if (total() >= most && !(await makeRoom())) break;
      const coming = start().then((program) => put(shelf, program, replaceAtAge));
      shelf.coming.add(coming);
      try {
        await coming;
      } finally {
        shelf.coming.delete(coming);
      }
    }
    await Promise.all(shelf.coming);
  };

  const keep = async (wish: PrewarmRequest): Promise<void> => {
    const kept = stock(wish);
    keeping.add(kept);
    try {
      await kept;
    } finally {
      keeping.delete(kept);
    }
  };

  const replaceAtAge = (shelf: SkillPool, program: SandboxedProgram): (() => void) => {
    const timer = setTimeout(() => void replace().catch(() => undefined), maxAgeMs).unref();
    return () => clearTimeout(timer);

    async function replace(): Promise<void> {
      if (!shelf.programs.delete(program)) return;
      await awaited(program.close());
      // Another key would never be taken from this shelf.
      if (!shelf.ended && (await shelf.wish.currentKey()) === shelf.wish.key) await keep(shelf.wish);
    }
  };

  return {
    take(skillId, key) {
      const shelf = shelves.get(skillId);
      if (shelf?.wish.key !== key) return undefined;
      // What one that has ended has written is on its way to nobody already.
      const program = [...shelf.programs].find((each) => !each.hasExited());
      if (program !== undefined) shelf.programs.delete(program);
      return program;
    },
    keep,
    async retain(grants, wishFor) {
      retained = grants;
      const review = async (shelf: SkillPool): Promise<void> => {
        if (grants.has(shelf.wish.grant)) return;
        const { skillId } = shelf.wish;
        const wish = await wishFor(skillId).catch(() => undefined);
        if (wish?.key === shelf.wish.key) {
          // A later `retain` has already decided otherwise.
          if (retained === grants) shelf.wish = wish;
          return;
        }
        if (shelves.get(skillId) === shelf) shelves.delete(skillId);
        await awaited(clear(shelf));
      };
      await Promise.all([...shelves.values()].map(review));
      await Promise.all(ending);
    },
    load,
    async close() {
      closed = true;
      await Promise.all([...shelves.values()].map((shelf) => awaited(clear(shelf))));
      await Promise.allSettled([...keeping, ...ending]);
    },
  };
}

async function put(
  shelf: SkillPool,
  program: SandboxedProgram,
  replaceAtAge: (shelf: SkillPool, program: SandboxedProgram) => () => void,
): Promise<void> {
  if (shelf.ended) return program.close();
  shelf.programs.add(program);
  const cancelReplacement = replaceAtAge(shelf, program);
  void program.ended.then(() => {
    cancelReplacement();
    if (!shelf.programs.delete(program)) return undefined;
    // It has not waited, and the next would not either.
    shelf.ended = true;
    return program.close();
  });
  const tooLong = setTimeout(() => program.stop({ status: 'timed-out' }), startMs);
  await program.release();
  clearTimeout(tooLong);
  if ((await shelf.wish.currentKey()) !== shelf.wish.key && shelf.programs.delete(program))
    await program.close();
}
