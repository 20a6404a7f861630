import { SkillError } from '@ambit/core';
import {
  type Grant,
  memoryTexts,
  type RunInput,
  type SkillState,
  stateBounds,
  stateFor,
} from '@ambit/core/execute';
import { redactedText } from '../egress/call-egress.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { JsonThread } from '../json/json-thread.ts';
import { readStateChanges, stateJson } from '../json/state-json.ts';
import { closeAll, unnamedFiles } from '../spawn/unnamed-file.ts';
import type { EndedRun } from './call-execution.ts';
import type { SandboxedCommand, SandboxedRun } from './sandbox/sandbox.ts';
import { ownFolder } from './sandbox/sandbox.ts';

const statePath = `${ownFolder}/state/state.json`;
const memoryPath = `${ownFolder}/memory.json`;

/** A full store, plus white space and escapes. */
const stateFileBytesMax = 4 * stateBounds.bytes;

/** The skill's state and the caller's memory, as files in the sandbox of one call. */
export interface CallFiles {
  command: Pick<SandboxedCommand, 'stateFile'> & Required<Pick<SandboxedCommand, 'env' | 'contents'>>;
  /** For `SandboxInput.stateFile`: the file that the program may change. */
  stateFile: Uint8Array | undefined;
  /**
   * Adds the run's state changes to `ended`. If the run succeeded but left an unusable state file,
   * the outcome is `output-invalid`. If the run did not succeed, nothing changes.
   */
  withChange(ended: EndedRun, run: SandboxedRun): Promise<EndedRun>;
  close(): void;
}

/**
 * The state store, the thread that reads and writes large JSON, and the proxy that knows the call's
 * secrets.
 */
interface CallServices {
  state: SkillState | undefined;
  json: JsonThread | undefined;
  proxy: CallProxy | undefined;
}

export function usesCallFiles({ capabilities: { state, memory } }: Grant): boolean {
  return state !== 'none' || memory !== 'none';
}

/**
 * Opens the files of a granted call; the caller closes them. Throws `STORE_UNAVAILABLE` if the state
 * cannot be read.
 */
export async function openCallFiles(
  grant: Grant,
  input: RunInput,
  { state: stores, json, proxy }: CallServices,
): Promise<CallFiles> {
  const { capabilities, skill } = grant;
  const state = stores && stateFor(grant, stores);
  const stored =
    state === undefined || capabilities.state === 'none' ? undefined : await storedState(state, skill.id);
  const memory =
    capabilities.memory === 'none'
      ? undefined
      : await jsonBytes(memoryTexts(input.context?.caller ?? {}), json);
  const isWritable = capabilities.state === 'write';
  const files: Record<string, Uint8Array> = {};
  const env: Record<string, string> = {};
  if (memory !== undefined) {
    files[memoryPath] = memory;
    env['AMBIT_MEMORY'] = memoryPath;
  }
  if (stored !== undefined) {
    if (!isWritable) files[statePath] = stored;
    env['AMBIT_STATE'] = statePath;
  }
  const contents = unnamedFiles(files);
  return {
    command: {
      env,
      contents,
      stateFile: stored && isWritable ? { path: statePath, bytesMax: stateFileBytesMax } : undefined,
    },
    stateFile: isWritable ? stored : undefined,
    async withChange(ended, { stateFile: left }) {
      if (ended.outcome.status !== 'succeeded' || state === undefined) return ended;
      if (stored === undefined || left === undefined) return ended;
      if ('problem' in left) return invalid(ended, left.problem);
      if (Buffer.compare(left.bytes, stored) === 0) return ended;
      const read = await (json?.readStateChanges ?? readStateChanges)(stored, left.bytes);
      // The problem may quote the file.
      if ('problem' in read) return invalid(ended, await redactedText(proxy, read.problem));
      const { changes } = read;
      if (changes.length === 0) return ended;
      const save = (): Promise<void> => state.change(skill.id, new Map(changes));
      return { ...ended, state: { keys: changes.length, save } };
    },
    close: () => closeAll(contents),
  };
}

function invalid(ended: EndedRun, problem: string): EndedRun {
  const detail = `state not saved: the file that AMBIT_STATE names ${problem}. Write one JSON object to it`;
  return { ...ended, outcome: { status: 'output-invalid', detail, stderr: ended.log } };
}

async function storedState(state: SkillState, skillId: string): Promise<Uint8Array> {
  try {
    return stateJson(await state.all(skillId));
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const why = `${skillId} did not run: its state cannot be read: ${error.message}`;
    throw new SkillError(error.code, why, { cause: error });
  }
}

async function jsonBytes(value: unknown, json: JsonThread | undefined): Promise<Uint8Array> {
  return json === undefined ? Buffer.from(JSON.stringify(value)) : (await json.write(value)).bytes;
}
