import { UsageError } from '@ambit/core/outcome';

/** The value of a JSON text, which may begin with a byte order mark, or why it is not one. */
export function readJson(text: string): { value: unknown } | { problem: string; cause: unknown } {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch (cause) {
    return { problem: `is not JSON: ${(cause as Error).message}`, cause };
  }
}

/** The value of a manifest in JSON. Throws a `UsageError` that begins with `what`. */
export function jsonValue(text: string, what: string): unknown {
  const read = readJson(text);
  if ('problem' in read) throw new UsageError(`${what} ${read.problem}`, { cause: read.cause });
  return read.value;
}
