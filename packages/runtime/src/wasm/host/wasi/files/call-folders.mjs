/** @import { SkillFiles } from './skill-folder.mjs' */
import { Disk } from './disk.mjs';
import { FileNode, FolderNode, LinkNode } from './nodes.mjs';
import { placeFile, placeFolder } from './place-files.mjs';
import { skillFolder } from './skill-folder.mjs';

/**
 * A folder that is open when a program starts, with its name.
 *
 * @typedef {{ name: string, folder: FolderNode }} Preopened
 */

/**
 * A caller's file, link or folder in the workspace.
 *
 * @typedef {{ path: string, content: Uint8Array } | { path: string, link: string } | { path: string, folder: true }} GivenEntry
 */

/**
 * `diskBytes` is for all files together, `fileBytes` for each file that is written, `now` in
 * nanoseconds since 1970. `given` is absent if the call has no workspace.
 *
 * @typedef {{
 *   diskBytes: number,
 *   fileBytes: number,
 *   now: () => bigint,
 *   given: readonly GivenEntry[] | undefined,
 *   skillFiles: SkillFiles,
 * }} FolderOptions
 *
 * @typedef {{ disk: Disk, preopened: Preopened[], workspace: FolderNode | undefined }} CallFolders
 */

/**
 * The folders of one call: its workspace, if any, a temporary folder, the skill's own folder, and
 * its working directory as `/`, which is the workspace or else the temporary folder. Programs built
 * with wasi-libc resolve relative paths in `/`. Go programs use the first folder as their working
 * directory, so the workspace comes first.
 *
 * @param {FolderOptions} options
 * @returns {CallFolders}
 */
export function callFolders({ diskBytes, fileBytes, now, given, skillFiles }) {
  const disk = new Disk(diskBytes, fileBytes, now);
  const folderOf = (/** @type {bigint} */ number) => new FolderNode({ disk, number, isReadOnly: false });
  const workspace = given === undefined ? undefined : folderOf(1n);
  const temporary = folderOf(2n);
  for (const entry of given ?? []) {
    const root = /** @type {FolderNode} */ (workspace);
    if ('folder' in entry) placeFolder(root, entry.path.split('/'));
    else
      placeFile(
        root,
        entry.path,
        'link' in entry ? new LinkNode(root.volume, entry.link) : new FileNode(root.volume, entry.content),
      );
  }
  /** @type {Preopened[]} */
  const preopened = [
    ...(workspace === undefined ? [] : [{ name: '/workspace', folder: workspace }]),
    { name: '/tmp', folder: temporary },
    { name: '/skill', folder: skillFolder(disk, 3n, skillFiles) },
    { name: '/', folder: workspace ?? temporary },
  ];
  return { disk, preopened, workspace };
}
