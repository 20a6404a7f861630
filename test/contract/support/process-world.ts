import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapSandbox, processExecutor } from '../../../packages/runtime/src/index.ts';
import type { ExecutorWorld } from './behaviour.ts';
import { grantedSkill } from './granted-skill.ts';
import { scriptThat } from './python-scripts.ts';

/** The process executor in bubblewrap, with Python scripts as skills. */
export async function processWorld(): Promise<ExecutorWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-contract-'));
  const sandbox = bubblewrapSandbox();
  return {
    executor: processExecutor({ sandbox, environment: {} }),
    async skill(behaviour, limits = {}, payload = {}) {
      const run = {
        runtime: 'process',
        entry: 'scripts/run.py',
        capabilities: { exec: ['python3'] },
        limits,
        ...payload,
      };
      const grant = await grantedSkill(folder, run, { 'scripts/run.py': scriptThat(behaviour) });
      if (behaviour === 'cannot start') await rm(join(grant.skill.root, 'scripts/run.py'));
      return grant;
    },
    async close() {
      await sandbox.close?.();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
