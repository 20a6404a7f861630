/** Keys that were removed, each with the rest of the sentence that refuses it: why, and what to do instead. */
const removedKeys = {
  'installs.denyList':
    'Ambit no longer fetches deny lists; remove the key, and refuse a version or a publisher with: ambit skills revoke SUBJECT',
  'installs.scanners':
    'Ambit no longer runs scanners; remove the key, and run your scanner on the folder of a skill before you approve the skill',
};

/** Takes removed keys out of a document and returns an issue for each. */
export function takeRemovedKeys(document: unknown): { value: unknown; issues: string[] } {
  if (!isMapping(document)) return { value: document, issues: [] };
  const value: Record<string, unknown> = { ...document };
  const issues: string[] = [];
  for (const [place, why] of Object.entries(removedKeys)) {
    const [group, key] = place.split('.') as [string, string];
    const inner = value[group];
    if (!isMapping(inner) || !(key in inner)) continue;
    issues.push(`${place}: ${why}`);
    value[group] = without(inner, key);
  }
  return { value, issues };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function without(mapping: Record<string, unknown>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(mapping).filter(([name]) => name !== key));
}
