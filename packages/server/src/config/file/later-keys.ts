/**
 * Keys that the design has and this version does not. They are refused by name and not merely as unknown, so that
 * nobody who read about them believes that they work.
 */
const laterKeys = ['dangerouslyRunUnsandboxed'];

/** A document without the keys that come later, and one sentence for each that was there. */
export function takeLaterKeys(document: unknown): { value: unknown; issues: string[] } {
  if (!isMapping(document)) return { value: document, issues: [] };
  const value: Record<string, unknown> = { ...document };
  const issues: string[] = [];
  for (const place of laterKeys) {
    const [group, key] = place.split('.') as [string, string?];
    const inner = value[group];
    if (key === undefined ? !(group in value) : !isMapping(inner) || !(key in inner)) continue;
    issues.push(`${place}: this version of Ambit does not have it yet, so it would do nothing; take it out`);
    if (key === undefined) delete value[group];
    else value[group] = without(inner as Record<string, unknown>, key);
  }
  return { value, issues };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function without(mapping: Record<string, unknown>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(mapping).filter(([name]) => name !== key));
}
