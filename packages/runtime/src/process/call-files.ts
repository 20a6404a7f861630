import { SkillError } from '@ambit/core';
import type { Grant } from '@ambit/core/execute';
import { memoryTexts, type RunInput, type SkillState, stateBounds } from '@ambit/core/internal';
import { redactedText } from '../egress/call-egress.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { JsonThread } from '../json/json-thread.ts';
import { readStateChanges, stateJson } from '../state/state-json.ts';
import type { EndedRun } from './call-execution.ts';
import { ownFolder } from './sandbox/own-folder.ts';
import type { SandboxedCommand, SandboxedRun } from './sandbox/sandbox.ts';
import { type UnnamedFile, unnamedFile } from './sandbox/unnamed-file.ts';

const statePath = `${ownFolder}/state/state.json`;
const memoryPath = `${ownFolder}/memory.json`;

/** What fits into a store, with room for white space and escapes. */
const stateFileBytesMax = 4 * stateBounds.bytes;

/** What one call finds of its skill's store and of its caller's memory, as files inside. */
export interface CallFiles {
  /** Its part of the call's command. */
  command: Pick<SandboxedCommand, 'stateFile'> & Required<Pick<SandboxedCommand, 'env' | 'contents'>>;
  /** For `Given.stateFile`: the file that the program may change. */
  stateFile: Uint8Array | undefined;
  /**
   * `ended` with what its run changed in the store. Where the run succeeded and left a state file that cannot be used, the outcome
   * is `output-invalid`; where it did not succeed, nothing has changed.
   */
  withChange(ended: EndedRun, run: SandboxedRun): Promise<EndedRun>;
  close(): void;
}

/** Where skills keep state, where large JSON is read and written, and what knows the call's secrets. */
interface Around {
  state: SkillState | undefined;
  json: JsonThread | undefined;
  proxy: CallProxy | undefined;
}

/** Whether a call is given such files. */
export function usesCallFiles({ capabilities: { state, memory } }: Grant): boolean {
  return state !== 'none' || memory !== 'none';
}

/** The files of a granted call; the caller closes them. Throws `INTERNAL` for a store that cannot be read. */
export async function openCallFiles(
  { capabilities, skill }: Grant,
  input: RunInput,
  { state, json, proxy }: Around,
): Promise<CallFiles> {
  const stored =
    state === undefined || capabilities.state === 'none' ? undefined : await storedState(state, skill.id);
  const memory =
    capabilities.memory === 'none'
      ? undefined
      : await jsonBytes(memoryTexts(input.context?.caller ?? {}), json);
  const isWritable = capabilities.state === 'write';
  const contents = unnamedFiles({
    ...(memory && { [memoryPath]: memory }),
    ...(stored && !isWritable && { [statePath]: stored }),
  });
  return {
    command: {
      env: {
        ...(memory && { AMBIT_MEMORY: memoryPath }),
        ...(stored && { AMBIT_STATE: statePath }),
      },
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
      // It may quote the file.
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
  const detail = `the state was not saved: the file that AMBIT_STATE names ${problem}; leave one JSON object of keys and values there`;
  return { ...ended, outcome: { status: 'output-invalid', detail, stderr: ended.log } };
}

async function storedState(state: SkillState, skillId: string): Promise<Uint8Array> {
  try {
    return stateJson(await state.all(skillId));
  } catch (cause) {
    throw new SkillError(
      'INTERNAL',
      `${skillId} is not run: its stored state cannot be read (${(cause as Error).message}); correct or remove its file in state/ of the data directory`,
      { cause },
    );
  }
}

async function jsonBytes(value: unknown, json: JsonThread | undefined): Promise<Uint8Array> {
  return json === undefined ? Buffer.from(JSON.stringify(value)) : (await json.write(value)).bytes;
}

/** All of them, or none. */
function unnamedFiles(contents: Readonly<Record<string, Uint8Array>>): Record<string, UnnamedFile> {
  const files: Record<string, UnnamedFile> = {};
  try {
    for (const [path, bytes] of Object.entries(contents)) files[path] = unnamedFile(bytes);
    return files;
  } catch (error) {
    closeAll(files);
    throw error;
  }
}

function closeAll(files: Readonly<Record<string, UnnamedFile>>): void {
  for (const file of Object.values(files)) file.close();
}
