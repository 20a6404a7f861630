import type { ExecuteOptions, SkillDetail, WorkspaceSummary } from '@ambit/client';
import { bytesText, plural } from '../../format/units.ts';
import { visibleText } from '../../format/visible.ts';
import { client } from '../../session/session.ts';
import { type ChosenFile, chosenFiles, sizeOf, uploadFiles } from '../../session/workspace-files.ts';

const mebibyte = 1024 ** 2;

type CallLimits = SkillDetail['scriptLimits'];

/** Memory and time of one call, with what it gets without them and the most that it can get. */
export function LimitFields({ limits: { default: usual, max } }: { limits: CallLimits }) {
  return (
    <div class="filters">
      <label>
        Memory in MiB (empty: {mebibytes(usual.memoryBytes)}; at most {mebibytes(max.memoryBytes)})
        <input name="memory" type="number" min={1} max={mebibytes(max.memoryBytes)} step={1} />
      </label>
      <label>
        Time in seconds (empty: {usual.timeoutMs / 1000}; at most {max.timeoutMs / 1000})
        <input name="time" type="number" min={0.001} max={max.timeoutMs / 1000} step="any" />
      </label>
    </div>
  );
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / mebibyte);
}

/** Returns the limits that were filled in there. An absent one: none. */
export function limitsIn(given: FormData): NonNullable<ExecuteOptions['limits']> {
  const [memory, time] = [Number(given.get('memory')), Number(given.get('time'))];
  // JSON leaves out what is undefined.
  return {
    memoryBytes: memory > 0 ? memory * mebibyte : undefined,
    timeoutMs: time > 0 ? Math.ceil(time * 1000) : undefined,
  };
}

/** The value of the choice that makes a workspace. */
const newWorkspace = 'new';

/** The files of one call, and the workspace that it runs in. */
export function FileFields({ workspaces }: { workspaces: readonly WorkspaceSummary[] }) {
  return (
    <>
      <div class="filters">
        <label>
          Files for the run
          <input name="files" type="file" multiple />
        </label>
        <label>
          A folder with everything in it
          <input name="folder" type="file" ref={(input) => input?.setAttribute('webkitdirectory', '')} />
        </label>
        <label>
          Workspace
          <select name="workspace">
            <option value="">none: a folder that is deleted after the run</option>
            <option value={newWorkspace}>a new one</option>
            {workspaces.map(({ id, label }) => (
              <option value={id}>{visibleText(label || id)}</option>
            ))}
          </select>
        </label>
      </div>
      <p class="quiet">
        Files are uploaded to the workspace before the run, or to a new one. It stays afterwards, with what
        the run leaves in it, until it expires.
      </p>
    </>
  );
}

/** The files and the workspace of a call. */
export interface CallFiles {
  files: readonly ChosenFile[];
  /** Its id, `new`, or empty: none. */
  workspace: string;
}

/** Returns the files and the workspace that were filled in there. */
export function filesIn(given: FormData): CallFiles {
  return {
    files: chosenFiles(given, ['files', 'folder']),
    workspace: String(given.get('workspace') ?? ''),
  };
}

/** The id of the workspace of a call once it has the files; `undefined`: the call needs none. */
export async function preparedWorkspace(
  { files, workspace }: CallFiles,
  { label, say, signal }: { label: string; say: (what: string) => void; signal: AbortSignal },
): Promise<string | undefined> {
  const isNew = workspace === newWorkspace || (workspace === '' && files.length > 0);
  if (isNew) say('Creating a workspace');
  const id = isNew ? await createdFor(files, label) : workspace;
  if (id === '') return undefined;
  if (files.length === 0) return id;
  say(`Uploading ${plural(files.length, 'file')}, ${bytesText(sizeOf(files))}`);
  try {
    await uploadFiles(id, files, signal);
  } catch (error) {
    if (isNew) await client.workspaces.remove(id).catch(() => undefined);
    throw error;
  }
  return id;
}

/** Has room for the files, and for as much again that a run makes of them. */
async function createdFor(files: readonly ChosenFile[], label: string): Promise<string> {
  const size = sizeOf(files);
  const values = await client.configuration();
  const setting = (key: string): number => Number(values.find((each) => each.key === key)?.value);
  const [usual, max] = [setting('workspaces.quotaBytes'), setting('workspaces.maxQuotaBytes')];
  if (size > max)
    throw new Error(
      `The files have ${bytesText(size)}, and a workspace holds at most ${bytesText(max)}. Choose fewer files, or raise workspaces.maxQuotaBytes.`,
    );
  const quotaBytes = Math.min(Math.max(usual, 2 * size), max);
  return (await client.workspaces.create({ label, quotaBytes })).id;
}
