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
  contentThat(behaviour: Behaviour): string | Uint8Array;
}

/** The WASM executor in bubblewrap, with skills of one kind. */
export async function wasmWorld({ entry, contentThat }: WasmSkills): Promise<ExecutorWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-contract-'));
  const sandbox = bubblewrapSandbox();
  const executor = wasmExecutor({ sandbox, state: noState });
  return {
    executor,
    skill: (behaviour, limits = {}, payload = {}) =>
      grantedSkill(
        folder,
        { runtime: 'wasm', entry, limits, ...payload },
        { [entry]: contentThat(behaviour) },
      ),
    async close() {
      await executor.close?.();
      await sandbox.close?.();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
