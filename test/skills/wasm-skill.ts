import { readFile } from 'node:fs/promises';
import createPlugin from '@extism/extism';
import { artefactPath } from '../../scripts/build-skills.mjs';

const PAGES_OF_16_MIB = 256;

/**
 * The result of a call: the output, or the sentence of the failure. Throws for any other end of a call.
 */
export type Answer = { readonly output: unknown } | { readonly error: string };

/**
 * Calls a bundled WASM skill like the daemon does: with a fresh instance, 16 MiB of memory, and no WASI,
 * hosts or paths.
 */
export async function wasmSkill(id: string): Promise<(input: unknown) => Promise<Answer>> {
  const module = await WebAssembly.compile(await readFile(artefactPath(id)));
  return async (input) => {
    const plugin = await createPlugin(module, {
      useWasi: false,
      allowedHosts: [],
      allowedPaths: {},
      memory: { maxPages: PAGES_OF_16_MIB },
    });
    const bytes = input instanceof Uint8Array ? input : new TextEncoder().encode(JSON.stringify(input));
    try {
      const answer = await plugin.call('run', bytes);
      if (answer === null) throw new Error(`${id} gave neither an output nor an error`);
      return { output: JSON.parse(answer.text()) };
    } catch (error) {
      const sentence = /^Plugin-originated error: (.*)$/s.exec(
        error instanceof Error ? error.message : '',
      )?.[1];
      if (sentence === undefined) throw error;
      return { error: sentence };
    } finally {
      await plugin.close();
    }
  };
}

/** Input that `JSON.stringify` would write differently. */
export function raw(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
