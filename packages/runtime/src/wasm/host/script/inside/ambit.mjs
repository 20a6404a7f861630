// The first module of every world that a script runs in, and the one that it imports as 'ambit'. It runs inside: of the
// host it has one function, which takes and gives text, and which nobody else gets hold of.

/** @type {any} */
const world = globalThis;
/** @type {(operation: string, text: string) => string} */
const host = world['ambit:host'];
delete world['ambit:host'];

// As they are before the script can replace them.
const { parse, stringify } = JSON;
const { defineProperty } = Object;
const WorldError = Error;
/** @type {(text: string, part: string) => boolean} */
const includes = Function.prototype.call.bind(String.prototype.includes);
/** @type {(value: object) => number} */
const numberOf = Function.prototype.call.bind(Number.prototype.valueOf);

/** Where the call comes from: what the host tells of it. */
export function context() {
  return invoke('context', []);
}

/**
 * What is kept under a key; `null` when nothing is.
 * @param {string} key
 */
export function stateGet(key) {
  return invoke('state_get', [key]);
}

/**
 * Keeps a value, anything that JSON holds; `null` takes it away.
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
 * One request over the network; redirects are answers like any other. Rejects when the rules do not allow it, with what
 * would, and when nothing answers.
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string }} request
 */
export async function fetch(url, { method = 'GET', headers = {}, body } = {}) {
  const answer = invoke('http_request', [{ method, url: `${url}`, headers, body }]);
  const text = () => {
    if (answer.text === undefined) throw new WorldError(`what ${url} answered is not UTF-8`);
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
 * Says how far the call is, for whoever watches it. Throws for what is no number from 0 on.
 * @param {number} done
 * @param {number} [total] what `done` will be at the end; absent: nobody knows
 * @param {string} [message]
 */
export function progress(done, total, message) {
  invoke('progress', [{ done, total, message }]);
}

/**
 * Writes one line to the call's log. Strings stand as they are, anything else as JSON.
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
// Of the input and of nothing else, so that the same input takes the same way through the script.
Math.random = () => {
  seeds ??= /** @type {number[]} */ (parse(host('seeds', '')));
  return (nextOf(seeds) * 0x20_0000 + (nextOf(seeds) >>> 11)) / 0x20_0000_0000_0000;
};

// Not waited for: the script imports this module, and would wait for its end.
void run();

async function run() {
  /** @type {unknown} */
  let output;
  try {
    const { default: main } = await import(host('entry', ''));
    if (typeof main !== 'function') return host('refused', 'has no function as its default export');
    const value = await main(parse(host('input', '')));
    output = stringify(value);
    // A replacer costs as much as all the rest, and nearly always there is nothing to find.
    if (typeof output === 'string' && includes(output, 'null')) stringify(value, finite);
  } catch (error) {
    return host('failed', stringify(describe(error)));
  }
  // What JSON cannot hold is no output, as when a program prints none.
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
 * JSON has `null` for a number that is not finite: whoever reads it would get another value.
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
 * What a `Number` object holds, whatever its prototype is: JSON writes it as a number. `undefined` for any other object.
 *
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
    return 'what cannot be shown';
  }
}

/** @param {any} thrown whatever a script can throw, getters and all */
function describe(thrown) {
  try {
    return thrown instanceof WorldError
      ? `${thrown.name}: ${thrown.message}\n${thrown.stack}`
      : `it threw ${stringify(thrown) ?? `a ${typeof thrown}`}`;
  } catch {
    return 'it threw what cannot be shown';
  }
}

/**
 * The next of a sequence of 32-bit numbers: sfc32, of which `state` is the whole state.
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
