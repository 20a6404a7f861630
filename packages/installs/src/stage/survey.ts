import { folderAround, isHiddenPath, skillFileNames, skillFoldersAmong } from '@ambit/core/skill';
import { InstallError } from '../install-error.ts';
import { safePath } from '../source/safe-path.ts';
import type { RefusedSkill, Source } from '../source/source.ts';
import { skillBounds, sourceBounds } from '../source/source-bounds.ts';
import { checkedFiles, nameFlaw, type SkillFiles } from './checked-files.ts';
import { linkCopies } from './link-copies.ts';
import type { ListedEntry } from './listed-entry.ts';
import { liesBelow, parentOf } from './source-path.ts';

/** The usable and the refused skills of a source. */
export interface Survey {
  skills: readonly FoundSkill[];
  refused: readonly RefusedSkill[];
}

/** A skill whose files can be written. */
export interface FoundSkill extends SkillFiles {
  /** Its folder in the source; empty for the source itself. */
  folder: string;
  /** Its signature file, which is not part of the skill; `undefined`: it has none. */
  signature: ListedEntry | undefined;
}

/** The file in a skill's folder with its signature. Hidden, so that it is not part of what it signs. */
export const signatureFile = '.ambit-signature.json';

/** Folders that hold no skills of their own. */
const skipped: readonly string[] = ['.git', 'node_modules'];

/**
 * Lists the skills of a source, or of a folder in it: the folders with a `SKILL.md`, except those inside other skills that are
 * no skills of their own (`isInnerSkill`). The
 * first of two skills of one name is the main one: hidden folders (`.cursor/skills`) and deep ones (`docs/ja/skills`) with
 * copies and translations come last. Nothing is written. Rejects with an `InstallError` if the whole source is refused; a
 * skill with unusable files is in `refused`.
 */
export async function surveySource(source: Source, within = ''): Promise<Survey> {
  const listed = await listEntries(source);
  const links = linkCopies(listed);
  const folders = skillFolders(listed);
  const byFolder = Map.groupBy(listed, ({ path }) => folderAround(path, folders));
  const skills: FoundSkill[] = [];
  const refused: RefusedSkill[] = [];
  const wanted = [...folders].filter((folder) => liesBelow(folder, within));
  if (wanted.length > sourceBounds.skills)
    throw new InstallError(
      'SOURCE_TOO_LARGE',
      `the source has ${wanted.length} skills; at most ${sourceBounds.skills} are read. Name a folder in it: SOURCE#:FOLDER`,
    );
  for (const folder of wanted.sort(mainFirst)) {
    const start = folder === '' ? 0 : folder.length + 1;
    const entries = (byFolder.get(folder) ?? [])
      .map((entry) => ({ ...entry, path: entry.path.slice(start) }))
      .filter(({ path }) => path !== '');
    const visible = entries.filter(({ path }) => !isHiddenPath(path));
    const signature = entries.find(({ path }) => path === signatureFile);
    try {
      const flaw = nameFlaw(folder);
      if (flaw !== undefined)
        throw new InstallError(
          'SKILL_UNSAFE_NAME',
          `the skill in ${JSON.stringify(folder.slice(0, 200))} is in a folder whose name ${flaw}`,
        );
      skills.push({ folder, ...checkedFiles(visible, folder, links), signature });
    } catch (error) {
      if (!(error instanceof InstallError)) throw error;
      refused.push({ folder: folder.slice(0, skillBounds.pathBytes), error });
    }
  }
  return { skills, refused };
}

async function listEntries(source: Source): Promise<ListedEntry[]> {
  const listed: ListedEntry[] = [];
  let [bytes, place] = [0, 0];
  for await (const { path, kind, bytes: size, isExecutable, target } of source.entries()) {
    bytes += size;
    if (place >= sourceBounds.entries || bytes > sourceBounds.bytes)
      throw new InstallError(
        'SOURCE_TOO_LARGE',
        `the source has more than ${sourceBounds.entries} entries or ${sourceBounds.bytes} bytes; name a smaller part of it`,
      );
    const entry = { path: safePath(path), kind, bytes: size, isExecutable, place };
    listed.push(target === undefined ? entry : { ...entry, target });
    place += 1;
  }
  return listed;
}

/** The outermost folders with a `SKILL.md`, and the skills of their own in them. */
function skillFolders(listed: readonly ListedEntry[]): ReadonlySet<string> {
  const found = listed
    .filter(({ path, kind, target = '' }) => {
      if (!skillFileNames.includes(nameIn(path))) return false;
      // A link to another SKILL.md is a second name of that skill.
      return kind === 'file' || (kind === 'symlink' && !skillFileNames.includes(nameIn(target)));
    })
    .map(({ path }) => parentOf(path))
    .filter((folder) => !folder.split('/').some((name) => skipped.includes(name)));
  return skillFoldersAmong(found);
}

function mainFirst(a: string, b: string): number {
  const depth = (folder: string): number => folder.split('/').length;
  return Number(isHiddenPath(a)) - Number(isHiddenPath(b)) || depth(a) - depth(b) || (a < b ? -1 : 1);
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
