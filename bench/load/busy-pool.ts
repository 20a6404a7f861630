import { fileURLToPath } from 'node:url';
import type { Grant, SkillExecutor } from '../../packages/core/src/execute.ts';
import { folderCatalog } from '../../packages/runtime/src/index.ts';
import { granted } from '../../test/contract/support/granted-skill.ts';
import type { Loaded } from './load-generator.ts';

/** A bundled skill with its grant. */
export async function bundledGrant(id: string): Promise<Grant> {
  const path = fileURLToPath(new URL(`../../skills/${id}`, import.meta.url));
  const found = await folderCatalog([{ path, tier: 'local' }]).find(id);
  if (found === undefined || 'problem' in found) throw new Error(`the bundled skill ${id} does not exist`);
  return granted(found);
}

/**
 * As many calls as possible in the given time, with `lanes` concurrent calls of the executor
 * itself: no transport, no record.
 */
export async function busyPool(
  { executor, grant }: { executor: SkillExecutor; grant: Grant },
  { lanes, ms, value, holds }: { lanes: number; ms: number; value: unknown; holds: string },
): Promise<Loaded> {
  const { signal } = new AbortController();
  const latenciesMs: number[] = [];
  let mismatches = 0;
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    for (let now = performance.now(); now < startedAt + ms; ) {
      const { outcome } = await executor.execute(grant, { protocol: 'json', value }, signal);
      if (!JSON.stringify(outcome).includes(holds)) mismatches++;
      const before = now;
      now = performance.now();
      latenciesMs.push(now - before);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { ms: performance.now() - startedAt, latenciesMs, statuses: {}, errors: 0, mismatches, cpuMs: 0 };
}
