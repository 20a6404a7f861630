// The first module of every world that a script runs in, imported by scripts as 'ambit'. Its only
// connection to the host is one function that takes and returns text, which no other code can
// reach.

/** @type {any} */
const world = globalThis;
/** @type {(operation: string, text: string) => string} */
const host = world['ambit:host'];
delete world['ambit:host'];

// Saved before the script can replace them.
const { parse, stringify } = JSON;
const { defineProperty } = Object;
const WorldError = Error;
/** @type {(text: string, part: string) => boolean} */
const includes = Function.prototype.call.bind(String.prototype.includes);
/** @type {(value: object) => number} */
const numberOf = Function.prototype.call.bind(Number.prototype.valueOf);

/** The context of the call. */
export function context() {
  return invoke('context', []);
}

/**
 * The state stored under a key; `null` if there is none.
 * @param {string} key
 */
export function stateGet(key) {
  return invoke('state_get', [key]);
}

/**
 * Stores any JSON value under a key; `null` removes it.
 * @param {string} key
 * @param {unknown} value
 */
export function stateSet(key, value) {
  return invoke('state_set', [key, value]);
}

/** @param {string} query */
export function recallMemory(query) {
  return invoke('recall_memory', [query]);
}

/** @param {string} path */
export function readFile(path) {
  return invoke('read_file', [path]);
}

/**
 * @param {string} path
 * @param {string} text
 */
export function writeFile(path, text) {
  return invoke('write_file', [path, text]);
}

/** @param {string} name */
export function env(name) {
  return invoke('env', [name]);
}

/**
 * Makes one network request; redirects are returned as responses. Rejects if the rules do not allow
 * it, naming the rule that would, or if the request fails.
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string }} request
 */
export async function fetch(url, { method = 'GET', headers = {}, body } = {}) {
  const answer = invoke('http_request', [{ method, url: `${url}`, headers, body }]);
  const text = () => {
    if (answer.text === undefined) throw new WorldError(`the response from ${url} is not UTF-8`);
    return answer.text;
  };
  const { status } = answer;
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: answer.headers,
    text,
    json: () => parse(text()),
  };
}

/**
 * Reports progress to observers of the call. Throws unless the numbers are 0 or more.
 * @param {number} done
 * @param {number} [total] the final value of `done`; absent: unknown
 * @param {string} [message]
 */
export function progress(done, total, message) {
  invoke('progress', [{ done, total, message }]);
}

/**
 * Writes one line to the call's log. Strings are written unchanged, other values as JSON.
 * @param {unknown[]} values
 */
export function log(...values) {
  host('log', stringify(lineOf(values)));
}

defineProperty(world, 'console', {
  value: { log, info: log, warn: log, error: log, debug: log },
  writable: true,
  configurable: true,
});

/** @type {number[] | undefined} */
let seeds;
// Seeded by the input alone, so that equal inputs run equally.
Math.random = () => {
  seeds ??= /** @type {number[]} */ (parse(host('seeds', '')));
  return (nextOf(seeds) * 0x20_0000 + (nextOf(seeds) >>> 11)) / 0x20_0000_0000_0000;
};

// Not awaited: the script imports this module, and each would wait for the other.
void run();

async function run() {
  /** @type {unknown} */
  let output;
  try {
    const { default: main } = await import(host('entry', ''));
    if (typeof main !== 'function') return host('refused', 'has a default export that is not a function');
    const value = await main(parse(host('input', '')));
    output = stringify(value);
    // A replacer costs as much as everything else, and is nearly never needed.
    if (typeof output === 'string' && includes(output, 'null')) stringify(value, finite);
  } catch (error) {
    return host('failed', stringify(describe(error)));
  }
  // A value that JSON cannot represent is no output, as when a program prints nothing.
  return host('returned', typeof output === 'string' ? output : '');
}

/**
 * @param {string} name
 * @param {unknown[]} values
 */
function invoke(name, values) {
  const [done, answer] = parse(host('invoke', stringify([name, values], finite)));
  if (done) return answer;
  throw new WorldError(answer);
}

/**
 * JSON turns a number that is not finite into `null`, a different value.
 * @param {string} _
 * @param {unknown} value
 */
function finite(_, value) {
  const number = typeof value === 'object' && value !== null ? numberIn(value) : value;
  if (typeof number === 'number' && number - number !== 0)
    throw new WorldError(`JSON cannot hold ${number}; use a finite number`);
  return value;
}

/**
 * The value of a `Number` object, whatever its prototype, because JSON writes it as a number.
 * `undefined` for any other object.
 * @param {object} value
 */
function numberIn(value) {
  try {
    return numberOf(value);
  } catch {
    return undefined;
  }
}

/** @param {unknown[]} values */
function lineOf(values) {
  let line = '';
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    line += `${index === 0 ? '' : ' '}${typeof value === 'string' ? value : textOf(value)}`;
  }
  return line;
}

/** @param {unknown} value */
function textOf(value) {
  try {
    if (typeof value === 'bigint') return `${value}n`;
    if (value instanceof WorldError) return describe(value);
    return stringify(value) ?? `${/** @type {any} */ (value)}`;
  } catch {
    return '[unprintable value]';
  }
}

/** @param {any} thrown any value that a script can throw, including objects with getters */
function describe(thrown) {
  try {
    return thrown instanceof WorldError
      ? `${thrown.name}: ${thrown.message}\n${thrown.stack}`
      : `it threw ${stringify(thrown) ?? `a ${typeof thrown}`}`;
  } catch {
    return 'it threw an unprintable value';
  }
}

/**
 * The next 32-bit number of sfc32, whose whole state is `state`.
 * @param {any} state
 */
function nextOf(state) {
  const [a, b, c, count] = state;
  const result = (a + b + count) | 0;
  state[0] = b ^ (b >>> 9);
  state[1] = (c + (c << 3)) | 0;
  state[2] = (((c << 21) | (c >>> 11)) + result) | 0;
  state[3] = (count + 1) | 0;
  return result >>> 0;
}
