/** The text of a `SKILL.md` that has no faults. */
export function skillMd(name: string, description = 'd'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\nbody of ${name}\n`;
}
