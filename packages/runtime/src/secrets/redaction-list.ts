import type { Redactor } from '@ambit/core/internal';
import { type SecretFinder, secretFinder } from './find/secret-finder.ts';
import { redactedMark, redactShapes } from './secret-shapes.ts';
import type { SecretSource } from './secret-source.ts';

/** Redacts secrets in recorded data: known values, and anything with the shape of a secret. */
export interface RedactionList extends Redactor {
  redact(text: string): string;
  /** The known values. `redactText` gives the same result with these in another thread. */
  values(): readonly string[];
  /** Redacts this value from now on, in every form in which it may appear. */
  add(value: string): void;
}

/** Longer than any token. A longer secret that is truncated here is found by its start. */
const secretCharactersMax = 16 * 1024;
/** Above this number, the value that was added first is dropped. */
const valuesMax = 1000;

/** Redacts anything with the shape of a secret, and each value from when it is added. */
export function redactionList(): RedactionList {
  const values = new Set<string>();
  let finder: SecretFinder | undefined;
  return {
    secretCharactersMax,
    add(value) {
      if (value === '' || values.has(value)) return;
      values.add(value);
      const [oldest] = values;
      if (values.size > valuesMax && oldest !== undefined) values.delete(oldest);
      finder = undefined;
    },
    values: () => [...values],
    redact(text) {
      finder ??= secretFinder([...values]);
      return redactShapes(withoutValues(text, finder));
    },
  };
}

/** Redacts these values and anything with the shape of a secret. */
export function redactText(text: string, values: readonly string[]): string {
  return redactShapes(withoutValues(text, secretFinder(values)));
}

/** A source of secrets that adds each value it returns to a list. */
export function redactingSecrets(source: SecretSource, list: RedactionList): SecretSource {
  return async (name) => {
    const value = await source(name);
    list.add(value);
    return value;
  };
}

function withoutValues(text: string, { find }: SecretFinder): string {
  const bytes = Buffer.from(text);
  const { spans } = find(bytes, 0, true);
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let shown = 0;
  for (const { from, to } of spans.sort((a, b) => a.from - b.from)) {
    if (from >= shown) parts.push(bytes.toString('utf8', shown, from), redactedMark);
    shown = Math.max(shown, to);
  }
  return parts.join('') + bytes.toString('utf8', shown);
}
