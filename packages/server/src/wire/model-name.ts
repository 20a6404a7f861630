/**
 * A skill's id as the name of a tool: clients accept letters, digits, `_` and `-`. Ids have no underscores, and the names
 * of Ambit's own tools have no two in a row.
 */
export function modelName(id: string): string {
  return id.replace(':', '__');
}

/** The id with this name. */
export function idOfModelName(name: string): string {
  return name.replace('__', ':');
}
