/** A text or bytes that a program printed. */
export interface PrintedOutput {
  name: string;
  /** In base64 if `isBytes`. */
  text: string;
  isBytes: boolean;
}

const names = [
  ['stdout', 'Standard output'],
  ['stderr', 'Standard error'],
] as const;

/**
 * Reads a program's output, if a stored payload is its JSON: each stream that is not empty. A payload that was cut inside of a
 * stream has its beginning. `undefined`: it is something else.
 */
export function outputsIn(text: string, isCut: boolean): PrintedOutput[] | undefined {
  return printedIn(
    parsed(text) ?? (isCut ? parsed(`${text.replace(/\\(u[\da-f]{0,3})?$/i, '')}"}`) : undefined),
  );
}

/** The same of the value. */
export function printedIn(value: unknown): PrintedOutput[] | undefined {
  if (typeof value !== 'object' || value === null || !('stdout' in value || 'stderr' in value))
    return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  if (Object.keys(members).some((key) => !['exitCode', 'encoding', 'stdout', 'stderr'].includes(key)))
    return undefined;
  const found = names.flatMap(([key, name]): PrintedOutput[] => {
    const text = members[key];
    if (typeof text !== 'string' || text === '') return [];
    return [{ name, text, isBytes: key === 'stdout' && members['encoding'] === 'base64' }];
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
