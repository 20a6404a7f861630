/** A valid `SKILL.md`. */
export function skillMd(name: string, description = 'd'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\nbody of ${name}\n`;
}
