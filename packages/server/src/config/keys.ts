import { z } from 'zod';

declare module 'zod' {
  /** The properties of a configuration key besides its type, its default and its `description`, which is its row in the docs. */
  interface GlobalMeta {
    /** The variable that sets it too, over the file. */
    env?: `AMBIT_${string}`;
    /** The flag that sets it too, over the variable. */
    flag?: `--${string}`;
    /** A reload refuses a change of it, because it affects the open socket, data directory or log. */
    needsRestart?: true;
    /** Its default in words, if the default depends on the machine or on other keys. */
    absent?: string;
  }
}

/** A group of keys. The group may be left out, like each of its keys. */
export function section<Keys extends z.ZodType>(keys: Keys) {
  return z.prefault(keys, {} as z.input<Keys>);
}

/** A value that is `null` if its key is left out. */
export function orNull<Value extends z.ZodType>(value: Value) {
  return value.optional().transform((written) => written ?? null);
}

/** A key that was removed, with the rest of the sentence that refuses it: why, and what to do instead. */
export function removedKey(sentence: string) {
  return z.never(sentence).optional();
}

/** The name of a key in the file, such as `listen.port` or `grants`, and its schema. */
export type Key = readonly [name: string, schema: z.ZodType];

/** Every key with an origin of its own, in the order of the schema: those at the top and those in sections. */
export function keysOf({ shape }: { shape: Readonly<Record<string, z.ZodType>> }): Key[] {
  return Object.entries(shape).flatMap(([name, each]): Key[] =>
    each instanceof z.ZodPrefault
      ? keysOf(objectIn(each.unwrap())).map(([inner, schema]) => [`${name}.${inner}`, schema])
      : [[name, each]],
  );
}

function objectIn(schema: unknown): { shape: Readonly<Record<string, z.ZodType>> } {
  if (schema instanceof z.ZodPipe) return objectIn(schema.in);
  return schema as z.ZodObject<Record<string, z.ZodType>>;
}

/** Whether each key within it counts as a setting of its own: at the top, where the user chooses the keys, such as phases. */
export function isMap([name, schema]: Key): boolean {
  return !name.includes('.') && schema instanceof z.ZodDefault && schema.unwrap() instanceof z.ZodRecord;
}

/** The value at a key of a document; `undefined`: the document does not have it. */
export function valueAt(document: unknown, key: string): unknown {
  return key.split('.').reduce((value: unknown, step) => {
    const isMapping = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
    return isMapping ? (value as Record<string, unknown>)[step] : undefined;
  }, document);
}
