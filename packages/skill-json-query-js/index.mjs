import { search } from '@jmespath-community/jmespath';
import { queryError } from './query-error.mjs';

/**
 * What a JMESPath query finds in a document; `null` when it finds nothing. Throws when the query is wrong, or cannot be
 * asked of this document.
 *
 * @param {{ document: any, query: string }} input
 */
export default function jsonQuery({ document, query }) {
  try {
    const result = search(bare(document), query);
    // What is not of the document: a property that every object has.
    return { result: result === undefined || typeof result === 'function' ? null : result };
  } catch (error) {
    throw queryError(query, error);
  }
}

/**
 * The same value, of whose objects nothing is left but what the document says; the library looks up names such as
 * `constructor` as it does any other.
 *
 * @param {any} value
 */
function bare(value) {
  if (typeof value !== 'object' || value === null) return value;
  for (const key in value) bare(value[key]);
  return Array.isArray(value) ? value : Object.setPrototypeOf(value, null);
}
