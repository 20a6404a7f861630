const numberMax = 999_999_999_999_999;
const messageCharactersMax = 200;

/**
 * What a skill says of how far it is as a line of its log, which docs/skills.md describes: programs write it themselves.
 * Throws for what cannot be told.
 *
 * @param {unknown} told `{ done, total, message }`
 * @returns {string}
 */
export function progressLine(told) {
  const { done, total, message } = /** @type {Record<string, unknown>} */ (told ?? {});
  const of = total === undefined || total === null ? '' : `/${numberText('total', total)}`;
  if (message !== undefined && message !== null && typeof message !== 'string') {
    throw new TypeError('progress: message is no text');
  }
  const words = [...(message ?? '').replace(/\s+/g, ' ').trim()].slice(0, messageCharactersMax).join('');
  return `::progress ${numberText('done', done)}${of}${words === '' ? '' : ` ${words}`}`;
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function numberText(name, value) {
  if (typeof value !== 'number' || !(value >= 0 && value <= numberMax)) {
    throw new TypeError(`progress: ${name} is no number from 0 to ${numberMax}`);
  }
  // Never with an exponent, which a line of progress does not have.
  return String(Math.round(value * 1e6) / 1e6);
}
