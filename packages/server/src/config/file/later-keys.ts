/** Keys that the design describes and this version does not support. They get a message of their own. */
const laterKeys = ['dangerouslyRunUnsandboxed'];

/** Removes the unsupported keys from a document and returns an issue for each. */
export function takeLaterKeys(document: unknown): { value: unknown; issues: string[] } {
  if (!isMapping(document)) return { value: document, issues: [] };
  const value: Record<string, unknown> = { ...document };
  const issues: string[] = [];
  for (const place of laterKeys) {
    const [group, key] = place.split('.') as [string, string?];
    const inner = value[group];
    if (key === undefined ? !(group in value) : !isMapping(inner) || !(key in inner)) continue;
    issues.push(`${place}: not supported by this version of Ambit; remove it`);
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
