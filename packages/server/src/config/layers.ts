import { issueWords } from '@ambit/core/skill';
import type { z } from 'zod';
import type { ConfigSources, Origin, Sourced } from './config.ts';
import { type Key, keysOf, valueAt } from './keys.ts';

/** Values with their origins, by key. A later layer overrides an earlier one. */
export type Layer = ReadonlyMap<string, Sourced<unknown>>;

/** The values of a document and the defaults of the other keys. `values` is the document after it was parsed. */
export function layerOf(
  schema: z.ZodObject<Record<string, z.ZodType>>,
  values: unknown,
  document: unknown,
  origin: Origin,
): Layer {
  return new Map(
    keysOf(schema).flatMap(([key]) => {
      const value = valueAt(values, key);
      const isWritten = valueAt(document, key) !== undefined;
      return value === undefined ? [] : [[key, { value, origin: isWritten ? origin : 'default' }]];
    }),
  );
}

/** Reads the keys that the environment and the flags set, and every mistake in them. Empty variables are ignored. */
export function overrides(
  keys: readonly Key[],
  { flags, env }: Pick<ConfigSources, 'flags' | 'env'>,
): { layer: Layer; issues: string[] } {
  const layer = new Map<string, Sourced<unknown>>();
  const issues: string[] = [];
  for (const kind of ['env', 'flag'] as const)
    for (const [key, type] of keys) {
      const name = type.meta()?.[kind];
      if (name === undefined) continue;
      const given = kind === 'env' ? env[name] || undefined : flags[propertyOf(name)];
      if (given === undefined) continue;
      // In variables and flags, numbers are text.
      const isNumber = /^\d+$/.test(`${given}`) && type.safeParse(Number(given)).success;
      const { data, error } = type.safeParse(isNumber ? Number(given) : given);
      if (error === undefined) layer.set(key, { value: data, origin: `${kind}:${name}` as Origin });
      else issues.push(...error.issues.slice(0, 1).map((issue) => `${name}: ${issueWords(issue, given)}`));
    }
  return { layer, issues };
}

/** The property that has the value of a flag: `dataDir` for `--data-dir`. */
function propertyOf(flag: string): keyof ConfigSources['flags'] {
  const name = flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return name as keyof ConfigSources['flags'];
}

/** The document with the values of a layer. */
export function documentOf(layer: Layer): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  for (const [key, { value }] of layer) {
    const [name = '', inner] = key.split('.');
    if (inner === undefined) document[name] = value;
    else document[name] = { ...(document[name] as object), [inner]: value };
  }
  return document;
}
