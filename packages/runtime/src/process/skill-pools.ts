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

/** The waiting programs of one skill, all started with the same key. */
export interface SkillPool {
  request: PrewarmRequest;
  /** Each waiting program with the function that frees the memory it holds. */
  programs: Map<SandboxedProgram, () => void>;
  /** Programs that are starting. */
  starting: Set<Promise<void>>;
  /** When a call last used this pool. */
  usedAt: number;
  /** Accepts no more programs: the pool was replaced, or a program in it exited while waiting. */
  ended: boolean;
}

/** The number of waiting and starting programs of all skills. */
export interface PrewarmedLoad {
  waiting: number;
  starting: number;
}

/** The pools of all skills. */
export interface SkillPools {
  all(): readonly SkillPool[];
  get(skillId: string): SkillPool | undefined;
  /** The pool for a request, which replaces one of the skill with another key. */
  of(request: PrewarmRequest): SkillPool;
  /** Ends a pool with its programs. */
  remove(pool: SkillPool): Promise<void>;
  /** Ends a program that no pool has any more. */
  end(program: SandboxedProgram): Promise<void>;
  /** Ends one program of a skill without recent calls, which may even have been removed; false if there is none. */
  endUnused(): Promise<boolean>;
  load(): PrewarmedLoad;
  isFull(maxPrograms: number): boolean;
  /** Resolves when what is ending has ended. */
  settle(): Promise<void>;
}

/** After this long without a call, a skill's programs make room for other skills. */
const unusedMs = 60_000;

export function skillPools(): SkillPools {
  const pools = new Map<string, SkillPool>();
  const ending = new Set<Promise<void>>();
  const all = (): SkillPool[] => [...pools.values()];
  const awaited = (end: Promise<void>): Promise<void> => {
    ending.add(end);
    return end.finally(() => ending.delete(end));
  };
  const load = (): PrewarmedLoad => ({
    waiting: all().reduce((sum, { programs }) => sum + programs.size, 0),
    starting: all().reduce((sum, { starting }) => sum + starting.size, 0),
  });
  return {
    all,
    get: (skillId) => pools.get(skillId),
    of(request) {
      const current = pools.get(request.skillId);
      if (current?.request.key === request.key) {
        current.request = request;
        return current;
      }
      if (current !== undefined) void awaited(clear(current));
      const pool = emptyPool(request);
      pools.set(request.skillId, pool);
      return pool;
    },
    async remove(pool) {
      const { skillId } = pool.request;
      if (pools.get(skillId) === pool) pools.delete(skillId);
      await awaited(clear(pool));
    },
    end: (program) => awaited(program.close()),
    async endUnused() {
      const pool = longestUnused(all());
      const [program] = pool?.programs.keys() ?? [];
      if (program === undefined) return false;
      pool?.programs.delete(program);
      await awaited(program.close());
      return true;
    },
    load,
    isFull(maxPrograms) {
      const { waiting, starting } = load();
      return waiting + starting >= maxPrograms;
    },
    async settle() {
      await Promise.all(ending);
    },
  };
}

function emptyPool(request: PrewarmRequest): SkillPool {
  return {
    request,
    programs: new Map(),
    starting: new Set(),
    usedAt: performance.now(),
    ended: false,
  };
}

/** Ends all programs of a pool, including those still starting. */
async function clear(pool: SkillPool): Promise<void> {
  pool.ended = true;
  const programs = [...pool.programs.keys()];
  pool.programs.clear();
  await Promise.all(programs.map((program) => program.close()));
  await Promise.allSettled(pool.starting);
}

/** The pool with waiting programs that no call has used for longest; `undefined` if all were used recently. */
function longestUnused(pools: readonly SkillPool[]): SkillPool | undefined {
  return pools
    .filter(({ programs, usedAt }) => programs.size > 0 && performance.now() - usedAt > unusedMs)
    .toSorted((a, b) => a.usedAt - b.usedAt)
    .at(0);
}
