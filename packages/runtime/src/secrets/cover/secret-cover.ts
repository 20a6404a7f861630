import type { Mask } from '@ambit/core';
import { type SecretFinder, secretFinder } from '../find/secret-finder.ts';
import type { SecretSource } from '../secret-source.ts';
import { covered, coverShapes } from './secret-shapes.ts';

/** Covers secrets in what is kept: those that it was told, and whatever has the shape of one. */
export interface SecretCover extends Mask {
  cover(text: string): string;
  /** What it was told: with these `coverText` does the same elsewhere. */
  values(): readonly string[];
  /** From now on this value is covered, in every form in which it may turn up. */
  learn(value: string): void;
}

/** Longer than any token. A longer secret that is cut here is found by its beginning. */
const reach = 16 * 1024;
/** A value that is not used any more is forgotten when so many came after it. */
const valuesMost = 1000;

/** Covers what has a secret's shape from the start, and each value from when it is learned. */
export function secretCover(): SecretCover {
  const values = new Set<string>();
  let finder: SecretFinder | undefined;
  return {
    reach,
    learn(value) {
      if (value === '' || values.has(value)) return;
      values.add(value);
      const [oldest] = values;
      if (values.size > valuesMost && oldest !== undefined) values.delete(oldest);
      finder = undefined;
    },
    values: () => [...values],
    cover(text) {
      finder ??= secretFinder([...values]);
      return coverShapes(withoutValues(text, finder));
    },
  };
}

/** Covers these values, and whatever has the shape of a secret. */
export function coverText(text: string, values: readonly string[]): string {
  return coverShapes(withoutValues(text, secretFinder(values)));
}

/** A source of secrets that tells a cover each one that it gives. */
export function learntSecrets(source: SecretSource, cover: SecretCover): SecretSource {
  return async (name) => {
    const value = await source(name);
    cover.learn(value);
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
    if (from >= shown) parts.push(bytes.toString('utf8', shown, from), covered);
    shown = Math.max(shown, to);
  }
  return parts.join('') + bytes.toString('utf8', shown);
}
