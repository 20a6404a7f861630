const numberMax = 999_999_999_999_999;
const messageCharactersMax = 200;

/**
 * Formats progress as a line of the log, as docs/skills.md describes; programs write such lines
 * themselves. Throws for invalid progress.
 *
 * @param {unknown} progress `{ done, total, message }`
 * @returns {string}
 */
export function progressLine(progress) {
  const { done, total, message } = /** @type {Record<string, unknown>} */ (progress ?? {});
  const of = total === undefined || total === null ? '' : `/${numberText('total', total)}`;
  if (message !== undefined && message !== null && typeof message !== 'string') {
    throw new TypeError('progress: message is not a string');
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
    throw new TypeError(`progress: ${name} is not a number from 0 to ${numberMax}`);
  }
  // Without an exponent, which progress lines do not allow.
  return String(Math.round(value * 1e6) / 1e6);
}
