import { hash } from 'node:crypto';

/** The strong validator of a text (RFC 9110, section 8.8.3), derived from its hash. */
export function etagOf(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
}

/** Caches `etagOf` per object, for texts that depend on the object alone. */
export function cachedEtags<Thing extends object>(
  textOf: (thing: Thing) => string,
): (thing: Thing) => string {
  const kept = new WeakMap<Thing, string>();
  return (thing) => {
    const etag = kept.get(thing) ?? etagOf(textOf(thing));
    kept.set(thing, etag);
    return etag;
  };
}
