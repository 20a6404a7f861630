import { AmbitProblem, type Problem, type Workspace, type WorkspaceFile } from '@ambit/client';
import { tarEndBytes, tarHeader, tarPadding } from '@ambit/core/workspace';
import { visibleText } from '../format/visible.ts';
import { save } from './download.ts';
import { client, fetchAsSession } from './session.ts';

/** A file of the person's machine, and its path in a workspace. */
export interface ChosenFile {
  path: string;
  content: File;
}

/**
 * The files that inputs of a form have, below `folder`; empty: at the top. Of a chosen folder, the paths begin with its own
 * name.
 */
export function chosenFiles(given: FormData, names: readonly string[], folder = ''): ChosenFile[] {
  const top = folder.split('/').filter((part) => part !== '');
  return names
    .flatMap((name) => given.getAll(name))
    .flatMap((content) => {
      // An input without a file has one without a name.
      if (typeof content === 'string' || content.name === '') return [];
      const own = content.webkitRelativePath === '' ? content.name : content.webkitRelativePath;
      return [{ path: [...top, own].join('/'), content }];
    });
}

/** The size of files together, in bytes. */
export function sizeOf(files: readonly ChosenFile[]): number {
  return files.reduce((sum, { content }) => sum + content.size, 0);
}

/** Adds or replaces files of a workspace in one step. The browser reads them from disk while it sends them. */
export async function uploadFiles(
  id: string,
  files: readonly ChosenFile[],
  signal: AbortSignal,
): Promise<void> {
  const parts = files.flatMap(({ path, content }) => [
    tarHeader({ path, bytes: content.size, modifiedMs: content.lastModified }),
    content,
    new Uint8Array(tarPadding(content.size)),
  ]);
  await client.workspaces.putAll(id, new Blob([...parts, new Uint8Array(tarEndBytes)]), { signal });
}

/** Saves a file of a workspace, exactly. */
export async function downloadFile(id: string, path: string, signal: AbortSignal): Promise<void> {
  save(await contentOf(id, path, {}, signal), visibleText(path.split('/').at(-1) ?? path));
}

/** So many files are fetched at the same time. The browser allows six requests. */
const fetchedMax = 4;

/** Saves all of a workspace as a tar archive. Rejects if a file is no longer what `workspace` says. */
export async function downloadAll(
  { id, files, links, folders }: Workspace,
  signal: AbortSignal,
): Promise<void> {
  const contents = new Map<WorkspaceFile, Blob>();
  const waiting = files.values();
  const fetchInTurn = async (): Promise<void> => {
    for (const file of waiting)
      contents.set(file, await contentOf(id, file.path, { 'if-match': `"${file.sha256}"` }, signal));
  };
  await Promise.all(Array.from({ length: fetchedMax }, fetchInTurn));
  const parts = [
    ...[...contents].flatMap(([file, content]) => [
      tarHeader({ ...file, modifiedMs: Date.parse(file.modified) }),
      content,
      new Uint8Array(tarPadding(file.bytes)),
    ]),
    ...links.map(tarHeader),
    ...folders.map((path) => tarHeader({ path, folder: true })),
  ];
  save(new Blob([...parts, new Uint8Array(tarEndBytes)]), `workspace-${id}.tar`);
}

/** The browser stores a large one on disk. */
async function contentOf(
  id: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Blob> {
  const place = path.split('/').map(encodeURIComponent).join('/');
  const response = await fetchAsSession(`/workspaces/${encodeURIComponent(id)}/files/${place}`, {
    headers,
    signal,
  });
  if (!response.ok) throw new AmbitProblem((await response.json()) as Problem);
  return response.blob();
}
