/** The YAML of a `SKILL.md`, without its fences, as it is written. */
export interface FrontmatterBlock {
  yaml: string;
  /** The line of the fence that ends it. It begins on line 2. */
  endLine: number;
}

/** `undefined` for a file without frontmatter, or whose frontmatter does not end. Finds what `splitSkillFile` finds. */
export function frontmatterBlock(text: string): FrontmatterBlock | undefined {
  const yaml = /\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*\r?$/my.exec(text)?.[1];
  return yaml === undefined ? undefined : { yaml, endLine: yaml.split('\n').length + 1 };
}
