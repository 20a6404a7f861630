import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SharedMemory } from '@ambit/core/execute';
import type { SandboxedProgram } from './sandbox/sandbox.ts';
import { type PrewarmedLoad, type PrewarmRequest, type SkillPool, skillPools } from './skill-pools.ts';

/** Programs that were started ahead and wait for their input. Each is used once. */
export interface Prewarmed {
  /**
   * Takes a waiting program with this key, which then belongs to the caller; `undefined` if there
   * is none.
   */
  take(skillId: string, key: string): SandboxedProgram | undefined;
  /**
   * Starts programs until as many wait as requested, and ends the skill's programs with another
   * key. Resolves when they have started. Rejects if one cannot start; the next call of `fill`
   * tries again.
   */
  fill(request: PrewarmRequest): Promise<void>;
  /**
   * Prewarms for these grants only, from now on, and ends each waiting program that would start
   * differently under them. `requestFor` computes a skill's current request; it rejects or resolves
   * to `undefined` when nothing is granted. Resolves once those programs have ended.
   */
  retain(
    grants: ReadonlySet<string>,
    requestFor: (skillId: string) => Promise<PrewarmRequest | undefined>,
  ): Promise<void>;
  load(): PrewarmedLoad;
  /** Ends all waiting programs and starts no more. */
  close(): Promise<void>;
}

/** The longest time that the sandbox of a prewarmed program may take to start. */
const startMs = 20_000;

/**
 * One pool for each skill; `maxPrograms` limits all of them together. Programs are replaced after
 * waiting for `maxAgeMs`. Each holds its limit of `memory`, which calls take from it.
 */
export function prewarmed(maxPrograms: number, maxAgeMs: number, memory: SharedMemory): Prewarmed {
  const pools = skillPools();
  const filling = new Set<Promise<void>>();
  let retained: ReadonlySet<string> | undefined;
  let closed = false;

  const stock = async (request: PrewarmRequest): Promise<void> => {
    // Lets the call that just ended send its response first: starting a program blocks this thread
    // for milliseconds.
    await nextTurn();
    // A call may outlive its grant and must not prewarm with it.
    if (closed || retained?.has(request.grant) === false) return;
    const { count } = request;
    const pool = pools.of(request);
    pool.usedAt = performance.now();
    // One after another, so that calls get a turn in between. Never more than requested: programs
    // that exit immediately would otherwise be restarted forever.
    for (let started = 0; started < count && !pool.ended; started++) {
      if (pool.programs.size + pool.starting.size >= count) break;
      if (pools.isFull(maxPrograms) && !(await pools.endUnused())) break;
      const held = startHeld(pool, memory);
      // Calls need the memory; the next call tries again.
      if (held === undefined) break;
      const starting = held.program.then((program) => put(pool, program, held.free, replaceAtAge));
      pool.starting.add(starting);
      try {
        await starting;
      } finally {
        pool.starting.delete(starting);
      }
    }
    await Promise.all(pool.starting);
  };

  const fill = async (request: PrewarmRequest): Promise<void> => {
    const stocked = stock(request);
    filling.add(stocked);
    try {
      await stocked;
    } finally {
      filling.delete(stocked);
    }
  };

  const replaceAtAge = (pool: SkillPool, program: SandboxedProgram): (() => void) => {
    const timer = setTimeout(() => void replace().catch(() => undefined), maxAgeMs).unref();
    return () => clearTimeout(timer);

    async function replace(): Promise<void> {
      if (!pool.programs.delete(program)) return;
      await pools.end(program);
      // A program with another key would never be taken from this pool.
      if (!pool.ended && (await pool.request.currentKey()) === pool.request.key) await fill(pool.request);
    }
  };

  return {
    take(skillId, key) {
      const pool = pools.get(skillId);
      if (pool?.request.key !== key) return undefined;
      // The output of a program that has exited would be lost.
      const program = [...pool.programs.keys()].find((each) => !each.hasExited());
      if (program === undefined) return undefined;
      const free = pool.programs.get(program);
      pool.programs.delete(program);
      // From here on it is the memory of the call.
      free?.();
      return program;
    },
    fill,
    async retain(grants, requestFor) {
      retained = grants;
      const review = async (pool: SkillPool): Promise<void> => {
        if (grants.has(pool.request.grant)) return;
        const { skillId } = pool.request;
        const request = await requestFor(skillId).catch(() => undefined);
        if (request?.key === pool.request.key) {
          // A later `retain` may have decided differently.
          if (retained === grants) pool.request = request;
          return;
        }
        await pools.remove(pool);
      };
      await Promise.all(pools.all().map(review));
      await pools.settle();
    },
    load: pools.load,
    async close() {
      closed = true;
      await Promise.all(pools.all().map(pools.remove));
      await Promise.allSettled([...filling, pools.settle()]);
    },
  };
}

/** Starts a program that holds its memory limit until `free` or its end; `undefined` if calls need that memory. */
function startHeld(
  { request, programs }: SkillPool,
  memory: SharedMemory,
): { program: Promise<SandboxedProgram>; free: () => void } | undefined {
  const opening: { program?: Promise<SandboxedProgram> } = {};
  const free = memory.holdIdle(request.memoryBytes, async () => {
    const program = await opening.program?.catch(() => undefined);
    if (program !== undefined && programs.delete(program)) await program.close();
  });
  if (free === undefined) return undefined;
  const program = request.start();
  opening.program = program;
  program.then(({ ended }) => ended).then(free, free);
  return { program, free };
}

async function put(
  pool: SkillPool,
  program: SandboxedProgram,
  free: () => void,
  replaceAtAge: (pool: SkillPool, program: SandboxedProgram) => () => void,
): Promise<void> {
  if (pool.ended) return program.close();
  pool.programs.set(program, free);
  const cancelReplacement = replaceAtAge(pool, program);
  void program.ended.then(() => {
    cancelReplacement();
    if (!pool.programs.delete(program)) return undefined;
    // It exited instead of waiting, and the next one would too.
    pool.ended = true;
    return program.close();
  });
  const tooLong = setTimeout(() => program.stop({ status: 'timed-out' }), startMs);
  await program.release();
  clearTimeout(tooLong);
  if ((await pool.request.currentKey()) !== pool.request.key && pool.programs.delete(program))
    await program.close();
}
