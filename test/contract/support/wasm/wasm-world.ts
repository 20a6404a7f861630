import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapSandbox, folderState, wasmExecutor } from '../../../../packages/runtime/src/index.ts';
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
  const executor = wasmExecutor({ sandbox, state: folderState(join(folder, 'state')) });
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
      sandbox.close?.();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
