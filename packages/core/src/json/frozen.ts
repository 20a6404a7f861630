/** Freezes a JSON value with everything in it. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

/** Whether nothing in a JSON value can change. */
export function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
