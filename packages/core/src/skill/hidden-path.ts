/**
 * Whether a path within a skill's folder is hidden: its name, or a folder's in it, begins with a
 * dot. Hidden files are not part of a skill. They belong to version control, editors and operating
 * systems and can hold tokens and keys. The Agent Skills specification defines none.
 */
export function isHiddenPath(path: string): boolean {
  return path.split('/').some((name) => isHiddenName(name));
}

/** Whether a file or folder of this name is hidden. `.` and `..` are not names. */
export function isHiddenName(name: string): boolean {
  return name.startsWith('.') && name !== '.' && name !== '..';
}

const namedMax = 10;

/** A warning that lists hidden files for the author. */
export function hiddenText(paths: readonly string[]): string {
  const more = paths.length > namedMax ? ` and ${paths.length - namedMax} more` : '';
  return `hidden files and folders are not part of the skill: ${paths.slice(0, namedMax).join(', ')}${more}`;
}
