// Without schemas: the thread that surveys folders should not load them.

/** The separator of the namespace and the name in an id. */
export const separator = ':';

/** The id of a skill. */
export function skillIdOf(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}${separator}${name}`;
}

/**
 * The id without a colon, which the names of tools cannot have: `acme__docx`. It means one id only, because ids have no
 * underscores.
 */
export function plainId(id: string): string {
  return id.replace(separator, '__');
}

/** The namespace and the name in an id. */
export function partsOfId(id: string): { namespace: string | undefined; name: string } {
  const at = id.indexOf(separator);
  return at === -1
    ? { namespace: undefined, name: id }
    : { namespace: id.slice(0, at), name: id.slice(at + 1) };
}
