import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SharedMemory } from '@ambit/core/execute';
import type { SandboxedProgram } from './sandbox/sandbox.ts';

/** The programs that should wait for calls of one skill. */
export interface PrewarmRequest {
  skillId: string;
  /** The skill's grant, as text that `retain` can compare. */
  grant: string;
  /**
   * Identifies everything that the programs start with. A program is used only for a call with the
   * same key.
   */
  key: string;
  count: number;
  /** The memory limit of each program. */
  memoryBytes: number;
  start(): Promise<SandboxedProgram>;
  /** The current key. A program that starts while the key changes is discarded. */
  currentKey(): Promise<string>;
}

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

/** The number of waiting and starting programs of all skills. */
export interface PrewarmedLoad {
  waiting: number;
  starting: number;
}

interface SkillPool {
  request: PrewarmRequest;
  programs: Set<SandboxedProgram>;
  /** Programs that are starting. */
  starting: Set<Promise<void>>;
  /** When a call last used this pool. */
  usedAt: number;
  /** Accepts no more programs: the pool was replaced, or a program in it exited while waiting. */
  ended: boolean;
}

/** How long the sandbox of a prewarmed program may take to start. */
const startMs = 20_000;

/** After this long without a call, a skill's programs make room for other skills. */
const unusedMs = 60_000;

/**
 * One pool for each skill; `maxPrograms` limits all of them together. Programs are replaced after
 * waiting for `maxAgeMs`. Each holds its limit of `memory`, which calls take from it.
 */
export function prewarmed(maxPrograms: number, maxAgeMs: number, memory: SharedMemory): Prewarmed {
  /** What frees the memory that a waiting program holds. */
  const held = new WeakMap<SandboxedProgram, () => void>();
  const pools = new Map<string, SkillPool>();
  const filling = new Set<Promise<void>>();
  const ending = new Set<Promise<void>>();
  let retained: ReadonlySet<string> | undefined;
  let closed = false;

  const load = (): PrewarmedLoad => {
    const all = [...pools.values()];
    return {
      waiting: all.reduce((sum, { programs }) => sum + programs.size, 0),
      starting: all.reduce((sum, { starting }) => sum + starting.size, 0),
    };
  };
  const total = (): number => {
    const { waiting, starting } = load();
    return waiting + starting;
  };

  /** Makes `retain` and `close` wait for it. */
  const awaited = (end: Promise<void>): Promise<void> => {
    ending.add(end);
    return end.finally(() => ending.delete(end));
  };

  /** Ends all programs of a pool, including those still starting. */
  const clear = async (pool: SkillPool): Promise<void> => {
    pool.ended = true;
    const programs = [...pool.programs];
    pool.programs.clear();
    await Promise.all(programs.map((program) => program.close()));
    await Promise.allSettled(pool.starting);
  };

  const poolOf = (request: PrewarmRequest): SkillPool => {
    const current = pools.get(request.skillId);
    if (current?.request.key === request.key) {
      current.request = request;
      return current;
    }
    if (current !== undefined) void awaited(clear(current));
    const pool = {
      request,
      programs: new Set<SandboxedProgram>(),
      starting: new Set<Promise<void>>(),
      usedAt: performance.now(),
      ended: false,
    };
    pools.set(request.skillId, pool);
    return pool;
  };

  /** Ends one program of a skill without recent calls, which may even have been removed. */
  const evict = async (): Promise<boolean> => {
    const [longest] = [...pools.values()]
      .filter(({ programs, usedAt }) => programs.size > 0 && performance.now() - usedAt > unusedMs)
      .toSorted((a, b) => a.usedAt - b.usedAt);
    const [program] = longest?.programs ?? [];
    if (program === undefined) return false;
    longest?.programs.delete(program);
    await awaited(program.close());
    return true;
  };

  const stock = async (request: PrewarmRequest): Promise<void> => {
    // Lets the call that just ended send its response first: starting a program blocks this thread
    // for milliseconds.
    await nextTurn();
    // A call may outlive its grant and must not prewarm with it.
    if (closed || retained?.has(request.grant) === false) return;
    const { count, start } = request;
    const pool = poolOf(request);
    pool.usedAt = performance.now();
    // One after another, so that calls get a turn in between. Never more than requested: programs
    // that exit immediately would otherwise be restarted forever.
    for (let started = 0; started < count && !pool.ended; started++) {
      if (pool.programs.size + pool.starting.size >= count) break;
      if (total() >= maxPrograms && !(await evict())) break;
      const opening: { program?: Promise<SandboxedProgram> } = {};
      const free = memory.holdIdle(request.memoryBytes, async () => {
        const program = await opening.program?.catch(() => undefined);
        if (program !== undefined && pool.programs.delete(program)) await program.close();
      });
      // Calls need the memory; the next call tries again.
      if (free === undefined) break;
      opening.program = start();
      opening.program.catch(free);
      const starting = opening.program.then((program) => {
        held.set(program, free);
        void program.ended.then(free);
        return put(pool, program, replaceAtAge);
      });
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
      await awaited(program.close());
      // A program with another key would never be taken from this pool.
      if (!pool.ended && (await pool.request.currentKey()) === pool.request.key) await fill(pool.request);
    }
  };

  return {
    take(skillId, key) {
      const pool = pools.get(skillId);
      if (pool?.request.key !== key) return undefined;
      // The output of a program that has exited would be lost.
      const program = [...pool.programs].find((each) => !each.hasExited());
      if (program === undefined) return undefined;
      pool.programs.delete(program);
      // From here on it is the memory of the call.
      held.get(program)?.();
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
        if (pools.get(skillId) === pool) pools.delete(skillId);
        await awaited(clear(pool));
      };
      await Promise.all([...pools.values()].map(review));
      await Promise.all(ending);
    },
    load,
    async close() {
      closed = true;
      await Promise.all([...pools.values()].map((pool) => awaited(clear(pool))));
      await Promise.allSettled([...filling, ...ending]);
    },
  };
}

async function put(
  pool: SkillPool,
  program: SandboxedProgram,
  replaceAtAge: (pool: SkillPool, program: SandboxedProgram) => () => void,
): Promise<void> {
  if (pool.ended) return program.close();
  pool.programs.add(program);
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
