import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Grant, SkillExecutor } from '../../../packages/core/src/execute.ts';
import { bubblewrapSandbox, type Sandbox } from '../../../packages/runtime/src/index.ts';
import { grantedSkill } from './granted-skill.ts';

/** An executor in bubblewrap, and skills for it in a temporary folder. */
export interface SandboxedExecutor {
  executor: SkillExecutor;
  /** A new skill, as `grantedSkill` writes and grants it. */
  skill(run: object, files: Readonly<Record<string, string | Uint8Array>>, operator?: object): Promise<Grant>;
  close(): Promise<void>;
}

/** Opens an executor in a sandbox of its own. */
export async function sandboxed(open: (sandbox: Sandbox) => SkillExecutor): Promise<SandboxedExecutor> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-sandboxed-'));
  const sandbox = bubblewrapSandbox();
  const executor = open(sandbox);
  return {
    executor,
    skill: (run, files, operator) => grantedSkill(folder, run, files, operator),
    async close() {
      await executor.close?.();
      await sandbox.close?.();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
