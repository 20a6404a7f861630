/** A value of the configuration on one line: strings unchanged, everything else as JSON without empty values. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(withoutEmpty(value));
}

/** Leaves out empty capabilities. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== 'none' && !isEmpty(inner)));
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
