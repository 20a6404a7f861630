/**
 * A skill's id as the name of a tool: clients accept letters, digits, `_` and `-`. Neither a namespace nor a name has an
 * underscore, and Ambit's own tools have no two in a row.
 */
export function modelName(id: string): string {
  return id.replace(':', '__');
}

/** The id with this name. */
export function idOfModelName(name: string): string {
  return name.replace('__', ':');
}
