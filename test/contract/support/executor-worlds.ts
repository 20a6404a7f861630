import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SkillExecutor } from '../../../packages/core/src/execute.ts';
import { processExecutor, type Sandbox, wasmExecutor } from '../../../packages/runtime/src/index.ts';
import { noState } from '../../../packages/runtime/src/testing/no-state.ts';
import type { Behaviour, ExecutorWorld } from './behaviour.ts';
import { sandboxed } from './sandboxed.ts';

/** Skills with one kind of entry. */
export interface EntrySkills {
  /** The entry's file. */
  entry: string;
  /** The content of an entry with this behaviour. `undefined`: the skill has no entry. */
  contentThat(behaviour: Behaviour): string | Uint8Array | undefined;
}

/** The process executor, with skills that Python runs. */
export function processWorld(skills: EntrySkills): Promise<ExecutorWorld> {
  const run = { runtime: 'process', capabilities: { exec: ['python3'] } };
  return openWorld((sandbox) => processExecutor({ sandbox, environment: {} }), run, skills);
}

/** The WASM executor, with skills of one kind. */
export function wasmWorld(skills: EntrySkills): Promise<ExecutorWorld> {
  return openWorld((sandbox) => wasmExecutor({ sandbox, state: noState }), { runtime: 'wasm' }, skills);
}

async function openWorld(
  open: (sandbox: Sandbox) => SkillExecutor,
  run: object,
  { entry, contentThat }: EntrySkills,
): Promise<ExecutorWorld> {
  const { executor, skill, close } = await sandboxed(open);
  return {
    executor,
    async skill(behaviour, limits = {}, payload = {}) {
      const content = contentThat(behaviour);
      const grant = await skill({ ...run, entry, limits, ...payload }, { [entry]: content ?? '' });
      if (content === undefined) await rm(join(grant.skill.root, entry));
      return grant;
    },
    close,
  };
}
