import { UsageError } from '@ambit/core/outcome';
import { allBytesOf, type FileChange } from '@ambit/core/workspace';
import type { AnsweredCall } from '@ambit/server/wire';
import type { CommandContext } from '../../command/define-command.ts';
import { noteLinks, noteReplaced, type SavedFile, saveFiles } from '../../command/workspace-files.ts';
import { plural } from '../../output/plural.ts';
import type { RunFlags } from './call-of.ts';
import { type CallPlace, inTemporaryTerms } from './in-workspace.ts';

/**
 * Saves the files of a run below `folder`. The answer has the contents of small files, and the workspace of the call has all of
 * them. Resolves to the error if some cannot be saved.
 */
export async function saveRun(
  { print, daemon }: Pick<CommandContext, 'print' | 'daemon'>,
  folder: string,
  { files = [], workspace, outcome }: AnsweredCall,
  place: CallPlace | undefined,
  { overwrite, hidden }: RunFlags,
): Promise<unknown> {
  const lost: FileChange[] = [];
  const saved = files.flatMap((file): SavedFile[] => {
    const { path, content, bytes, executable } = file;
    if (file.folder && file.change !== 'deleted') return [{ path, folder: true }];
    if (!isLarge(file))
      return content === null ? [] : [{ path, content: () => allBytesOf(content), executable }];
    if (place === undefined || workspace?.stored !== true) lost.push(file);
    else return [{ path, content: () => place.read(path, bytes), executable }];
    return [];
  });
  noteLinks(print, files);
  try {
    const onReplace = noteReplaced(print, folder);
    await saveFiles(folder, saved, { overwrite, hidden, onReplace, daemon });
  } catch (error) {
    return error;
  }
  // A run that failed leaves nothing complete.
  if (lost.length === 0 || outcome.status !== 'succeeded') return undefined;
  const unstored = workspace?.stored === false ? workspace.why : (lost[0]?.omitted ?? '');
  const why = place?.isTemporary ? inTemporaryTerms(unstored) : unstored;
  return new UsageError(`${plural(lost.length, 'file')} could not be saved (${named(lost)}): ${why}`, {
    details: { paths: lost.map(({ path }) => path) },
  });
}

/** The result as it is printed: without a workspace that no longer exists, and with what happened to larger files. */
export function printedResult(
  { workspace, ...result }: AnsweredCall,
  place: CallPlace | undefined,
  { isJson, save }: { isJson: boolean; save: string | undefined },
): AnsweredCall {
  const isStored = workspace?.stored === true;
  const fileOf = (file: FileChange): FileChange => {
    if (place === undefined || !isStored || !isLarge(file)) return file;
    if (save === undefined && !place.isTemporary) return file;
    const { omitted: _, ...rest } = { ...file, content: null };
    if (!isJson) return rest;
    const where = save === undefined ? 'to save it, add --save FOLDER' : `it is in ${save}`;
    return { ...rest, omitted: `too large for this document; ${where}` };
  };
  const printed: AnsweredCall = result;
  if (result.files !== undefined) printed.files = result.files.map(fileOf);
  if (workspace !== undefined && place?.isTemporary !== true) printed.workspace = workspace;
  return printed;
}

/** Whether an answer leaves out the content of a file: it is read from the workspace. */
function isLarge({ change, content, link, folder, leftOut }: FileChange): boolean {
  if (change === 'deleted' || link !== undefined || folder || leftOut) return false;
  return !(content instanceof Uint8Array);
}

const namedMax = 20;

function named(files: readonly FileChange[]): string {
  const more = files.length > namedMax ? ` and ${files.length - namedMax} more` : '';
  return `${files
    .slice(0, namedMax)
    .map(({ path }) => path)
    .join(', ')}${more}`;
}
