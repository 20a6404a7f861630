import { canonicalJson, isDeeplyFrozen } from '@ambit/core/json';

/** The canonical text of parts that many events share, such as what a skill requests and is granted. */
export interface SharedTexts {
  /** `undefined` for an object that can change. */
  textOf(value: object): string | undefined;
}

/** Caches the text of each deeply frozen object, for as long as the object exists. */
export function sharedTexts(): SharedTexts {
  const texts = new WeakMap<object, string>();
  const textOf = (value: object): string | undefined => {
    const known = texts.get(value);
    if (known !== undefined || !isDeeplyFrozen(value)) return known;
    const text = canonicalJson(value);
    texts.set(value, text);
    return text;
  };
  return { textOf };
}
