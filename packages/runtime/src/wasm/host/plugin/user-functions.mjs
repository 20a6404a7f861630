/** @import { CallContext } from '@extism/extism' */
import { CapabilityViolated } from '../capability-violated.mjs';
import { thrownText } from '../thrown-text.mjs';

/** The module that a plug-in imports Ambit's host functions from, by Extism's convention. */
export const userNamespace = 'extism:host/user';

/** Whether the last argument is JSON; all others are text. */
const functions = Object.freeze({
  context: { lastIsJson: false },
  state_get: { lastIsJson: false },
  state_set: { lastIsJson: true },
  recall_memory: { lastIsJson: false },
  read_file: { lastIsJson: false },
  write_file: { lastIsJson: false },
  env: { lastIsJson: false },
  http_request: { lastIsJson: true },
  progress: { lastIsJson: true },
});

/** The functions in it. */
export const userFunctionNames = new Set(Object.keys(functions));

/**
 * Ambit's host functions for a plug-in. Each takes the addresses of blocks, after Extism's context,
 * and returns the address of a block with JSON: `{"value": …}`, or `{"error": "…"}` for an error
 * that the skill may handle.
 *
 * They throw `CapabilityViolated` for a request that is not granted.
 *
 * @param {(context: CallContext, bytes: Uint8Array) => bigint} store
 * @param {(name: string, args: unknown[]) => unknown} invoke
 * @returns {Record<string, (context: CallContext, ...addresses: bigint[]) => bigint>}
 */
export function userFunctions(store, invoke) {
  return Object.fromEntries(
    Object.entries(functions).map(([name, { lastIsJson }]) => [
      name,
      (context, ...addresses) => {
        const texts = addresses.map((address) => context.read(address)?.string() ?? '');
        return store(
          context,
          new TextEncoder().encode(JSON.stringify(answerTo(invoke, name, texts, lastIsJson))),
        );
      },
    ]),
  );
}

/**
 * @param {(name: string, args: unknown[]) => unknown} invoke
 * @param {string} name
 * @param {string[]} texts
 * @param {boolean} lastIsJson
 */
function answerTo(invoke, name, texts, lastIsJson) {
  try {
    const args = texts.map((text, index) =>
      lastIsJson && index === texts.length - 1 ? JSON.parse(text) : text,
    );
    return { value: invoke(name, args) ?? null };
  } catch (error) {
    if (error instanceof CapabilityViolated) throw error;
    return { error: thrownText(error) };
  }
}
