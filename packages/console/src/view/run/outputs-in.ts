const names = [
  ['stdout', 'Standard output'],
  ['stderr', 'Standard error'],
] as const;

/**
 * What a program printed, if a stored payload is its JSON: each stream that is not empty, with its name. A payload that was
 * cut inside of a stream has its beginning. `undefined`: it is something else.
 */
export function outputsIn(text: string, isCut: boolean): [string, string][] | undefined {
  const value = parsed(text) ?? (isCut ? parsed(`${text.replace(/\\(u[\da-f]{0,3})?$/i, '')}"}`) : undefined);
  if (typeof value !== 'object' || value === null || !('stdout' in value || 'stderr' in value))
    return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  if (Object.keys(members).some((key) => !['exitCode', 'encoding', 'stdout', 'stderr'].includes(key)))
    return undefined;
  const found = names.flatMap(([key, name]): [string, string][] => {
    const printed = members[key];
    if (typeof printed !== 'string' || printed === '') return [];
    return [[key === 'stdout' && members['encoding'] === 'base64' ? `${name}, in base64` : name, printed]];
  });
  return found.length === 0 ? undefined : found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
