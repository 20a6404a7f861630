import type { Mask } from '@ambit/core';
import { secretForms } from '../../egress/secrets/secret-forms.ts';
import type { SecretSource } from '../secret-source.ts';
import { covered, coverShapes } from './secret-shapes.ts';

/** Covers secrets in what is kept: those that it was told, and whatever has the shape of one. */
export interface SecretCover extends Mask {
  /** From now on this value is covered, in every form in which it may turn up. */
  learn(value: string): void;
}

/** What has the shape of a secret is covered as soon as so much of it is seen. */
const shapeReach = 4096;
/** A value that is not used any more is forgotten when so many came after it. */
const valuesMost = 1000;

/** Covers what has a secret's shape from the start, and each value from when it is learned. */
export function secretCover(): SecretCover {
  const values = new Set<string>();
  let forms: readonly string[] = [];
  return {
    // The longest form comes first. Whatever is looked at holds up other calls meanwhile.
    get reach() {
      return Math.max(shapeReach, forms[0]?.length ?? 0);
    },
    learn(value) {
      if (value === '' || values.has(value)) return;
      values.add(value);
      const [oldest] = values;
      if (values.size > valuesMost && oldest !== undefined) values.delete(oldest);
      // The longest first: what is within another must not leave that one's rest.
      forms = [...new Set([...values].flatMap(textForms))].sort((a, b) => b.length - a.length);
    },
    cover: (text) => coverShapes(forms.reduce((sofar, form) => sofar.replaceAll(form, covered), text)),
  };
}

/** A source of secrets that tells a cover each one that it gives. */
export function learntSecrets(source: SecretSource, cover: SecretCover): SecretSource {
  return async (name) => {
    const value = await source(name);
    cover.learn(value);
    return value;
  };
}

/** Also in JSON within JSON: an output is text, and is kept as a member of an object. */
function textForms(value: string): string[] {
  const once = JSON.stringify(value).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  return [...secretForms(value).map((form) => form.toString()), once, twice];
}
