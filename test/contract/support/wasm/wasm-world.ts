import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapSandbox, wasmExecutor } from '../../../../packages/runtime/src/index.ts';
import { noState } from '../../../../packages/runtime/src/testing/no-state.ts';
import type { Behaviour, ExecutorWorld } from '../behaviour.ts';
import { grantedSkill } from '../granted-skill.ts';

/** Skills with one kind of entry. */
export interface WasmSkills {
  /** The entry's file. */
  entry: string;
  /** `undefined`: the entry is removed. */
  contentThat(behaviour: Behaviour): string | Uint8Array | undefined;
}

/** The WASM executor in bubblewrap, with skills of one kind. */
export async function wasmWorld({ entry, contentThat }: WasmSkills): Promise<ExecutorWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-contract-'));
  const sandbox = bubblewrapSandbox();
  const executor = wasmExecutor({ sandbox, state: noState });
  return {
    executor,
    async skill(behaviour, limits = {}, payload = {}) {
      const content = contentThat(behaviour);
      const run = { runtime: 'wasm', entry, limits, ...payload };
      const grant = await grantedSkill(folder, run, { [entry]: content ?? '' });
      if (content === undefined) await rm(join(grant.skill.root, entry));
      return grant;
    },
    async close() {
      await executor.close?.();
      await sandbox.close?.();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
