/**
 * As much YAML of a skill as is read. Its parser compares each key with every other one, so a megabyte of keys would hold
 * up the process, and everybody's calls, for minutes.
 */
const charactersMost = 64 * 1024;

/** Why a text of a skill's is not read as YAML, going on from what it is; `undefined` for one that is. */
export function whyTooLong(yaml: string): string | undefined {
  if (yaml.length <= charactersMost) return undefined;
  return `has ${yaml.length} characters; at most ${charactersMost} are read. Move what is long into files of the skill`;
}
