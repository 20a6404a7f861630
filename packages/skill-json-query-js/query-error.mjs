import { compile, tokenize } from '@jmespath-community/jmespath';

/**
 * The error to show for an error of the library: where the query is wrong, and why.
 *
 * @param {string} query
 * @param {any} error
 */
export function queryError(query, error) {
  // Errors of the engine, such as a stack overflow.
  if (error.name === 'InternalError') return error;
  const words = String(error.message)
    .replace(/^(syntax( error)?|invalid (type|value))[:,] */i, '')
    .replace('invalid token (EOF): ""', 'the query is incomplete')
    .replace('got: EOF', 'got: the end');
  const at = placeOf(query, error.message);
  const shown = new Error(at === undefined ? words : `${words}, at character ${at + 1}${pointer(query, at)}`);
  shown.name = 'QueryError';
  // The library's stack does not help the user.
  shown.stack = '';
  return shown;
}

/**
 * The index of the error in the query; `undefined` if the document is the problem.
 *
 * @param {string} query
 * @param {string} message
 */
function placeOf(query, message) {
  const unknown = /^Unknown function: (\w+)\(\)/.exec(message)?.[1];
  if (unknown !== undefined) return calledAt(query, unknown);
  if (messageOf(tokenize, query) !== undefined) return unreadable(query);
  if (messageOf(compile, query) === undefined) return undefined;
  if (/\bEOF\b/.test(message)) return query.length;
  return unexpected(query, message);
}

/**
 * @param {string} query
 * @param {string} name
 */
function calledAt(query, name) {
  const tokens = tokenize(query);
  return tokens.find(({ value }, index) => value === name && tokens[index + 1]?.value === '(')?.start;
}

/**
 * The first character that cannot be tokenized.
 *
 * @param {string} query
 */
function unreadable(query) {
  let at = query.length - 1;
  while (at > 0 && (/[\w\s]/.test(query.charAt(at)) || messageOf(tokenize, query.slice(0, at)) !== undefined))
    at -= 1;
  return at;
}

/**
 * The token that the parser rejected. The parser only reads forward, so every prefix of the query
 * fails with the same error if and only if it contains the token.
 *
 * @param {string} query
 * @param {string} message
 */
function unexpected(query, message) {
  const starts = tokenize(query).map(({ start }) => start);
  let [without, having] = [0, starts.length];
  while (having - without > 1) {
    const middle = (without + having) >> 1;
    if (messageOf(compile, query.slice(0, starts[middle])) === message) having = middle;
    else without = middle;
  }
  return starts[having - 1];
}

/**
 * @param {(query: string) => unknown} read
 * @param {string} query
 * @returns {string | undefined}
 */
function messageOf(read, query) {
  try {
    read(query);
    return undefined;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

const shownCharacters = 30;

/**
 * The query's line with the error, and a mark below it.
 *
 * @param {string} query
 * @param {number} at
 */
function pointer(query, at) {
  const start = Math.max(0, at - shownCharacters, query.lastIndexOf('\n', at - 1) + 1);
  const [line] = query.slice(start, at + shownCharacters).split('\n');
  return `\n  ${line}\n  ${' '.repeat(at - start)}^`;
}
