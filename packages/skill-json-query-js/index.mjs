import { search } from '@jmespath-community/jmespath';
import { queryError } from './query-error.mjs';

/**
 * Evaluates a JMESPath query on a document; `null` if it finds nothing. Throws if the query is
 * invalid or does not fit the document.
 *
 * @param {{ document: any, query: string }} input
 */
export default function jsonQuery({ document, query }) {
  try {
    const result = search(bare(document), query);
    // A property of every object is not part of the document.
    return { result: result === undefined || typeof result === 'function' ? null : result };
  } catch (error) {
    throw queryError(query, error);
  }
}

/**
 * Copies the value to objects without inherited properties: the library looks up names such as
 * `constructor` like any other.
 *
 * @param {any} value
 */
function bare(value) {
  if (typeof value !== 'object' || value === null) return value;
  for (const key in value) bare(value[key]);
  return Array.isArray(value) ? value : Object.setPrototypeOf(value, null);
}
