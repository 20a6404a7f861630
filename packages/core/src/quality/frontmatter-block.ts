/** The YAML of a `SKILL.md` as written, without its fences. */
export interface FrontmatterBlock {
  yaml: string;
  /** The line of the closing fence. The block starts on line 2. */
  endLine: number;
}

/** `undefined` for a file without a complete frontmatter. Agrees with `splitSkillFile`. */
export function frontmatterBlock(text: string): FrontmatterBlock | undefined {
  const yaml = /\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*\r?$/my.exec(text)?.[1];
  return yaml === undefined ? undefined : { yaml, endLine: yaml.split('\n').length + 1 };
}
