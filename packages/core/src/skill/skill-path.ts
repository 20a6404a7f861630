import { partsOfId, plainId } from './id-parts.ts';
import type { Skill } from './skill.ts';

const variables = ['CLAUDE_SKILL_DIR', 'SKILL_DIR', 'SKILL_PATH', 'SKILL_ROOT', 'CLAUDE_PLUGIN_ROOT'];
const names = [
  ...variables,
  ...['baseDir', 'baseDirectory', 'skillDir', 'skill-dir', 'skill_dir'],
  ...['skillPath', 'skill-path', 'skill_path'],
];

/**
 * The words for a skill's own folder in published instructions: `${CLAUDE_SKILL_DIR}`, `{baseDir}`, `<SKILL_DIR>`.
 * `CLAUDE_PLUGIN_ROOT` is a folder above it, or the same.
 */
export const folderPlaceholders: readonly string[] = [
  ...variables.flatMap((name) => [`\${${name}}`, `$${name}`]),
  ...names.flatMap((name) => [`{${name}}`, `{{${name}}}`, `<${name}>`]),
];

/** A regular expression that matches one of some placeholders. */
export function anyOf(placeholders: readonly string[]): string {
  return placeholders.map((text) => text.replace(/[${}<>]/g, '\\$&')).join('|');
}

/**
 * Lists the meanings of a path in the skill's folder, relative to it, likeliest first; `''` is the folder itself. Instructions,
 * shells and models write `./scripts/x.py`, `/skill/scripts/x.py`, `skills/NAME/scripts/x.py`, `FOLDER/NAME/scripts/x.py`, a
 * placeholder, or its name alone: `SKILL_DIR/scripts/x.py`. A path that is elsewhere, such as in `/workspace`, or that has `..`, means nothing. The caller checks that the
 * skill has the file.
 */
export function pathsInSkill(
  { id, manifest, root }: Pick<Skill, 'id' | 'manifest' | 'root'>,
  path: string,
): string[] {
  if (/[\0\n\r\\]/.test(path) || path.split('/').includes('..')) return [];
  const placeholder = [...folderPlaceholders, 'SKILL_DIR'].find(
    (each) => path === each || path.startsWith(`${each}/`),
  );
  const parts = partsOf(path.slice(placeholder?.length ?? 0));
  const isElsewhere = placeholder === undefined && /^[/~]/.test(path);
  const own = isElsewhere ? ['/skill', root].find((each) => `${path}/`.startsWith(`${each}/`)) : undefined;
  const known = [id, plainId(id), partsOfId(id).name, manifest.name, partsOf(root).at(-1)];
  // A collection may have one folder between: skills/public/NAME. Authors also write the path in their repository, which may
  // have one folder above: engineering/NAME. What is in the working folder is the caller's.
  const at = /^\/(?:workspace|tmp)\//.test(path)
    ? -1
    : parts.findIndex(
        (part, index) =>
          known.includes(part) &&
          (parts.slice(Math.max(0, index - 2), index).includes('skills') || (index <= 1 && !isElsewhere)),
      );
  const within: string[][] = [];
  if (!isElsewhere) within.push(parts);
  if (own !== undefined) within.push(parts.slice(partsOf(own).length));
  if (at !== -1) within.push(parts.slice(at + 1));
  return within.map((each) => each.join('/'));
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
