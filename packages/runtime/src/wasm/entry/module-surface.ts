import type { CheckedModule } from '@ambit/core/inspect';
import { callableNames } from '../host/functions-of.mjs';
import { extismNamespace } from '../host/plugin/bridge.mjs';
import { section } from '../meter/outline.mjs';
import { Reader } from '../meter/reader.mjs';

const functionKind = 0;

/**
 * The imports and exports of a core module, without compiling it; `undefined` for a broken outline,
 * which the engine will refuse.
 */
export function moduleSurface(bytes: Uint8Array): CheckedModule | undefined {
  try {
    return surfaceOf(new Reader(bytes.subarray(8)));
  } catch {
    return undefined;
  }
}

function surfaceOf(reader: Reader): CheckedModule {
  let isPlugin = false;
  const functions: string[] = [];
  while (!reader.atEnd) {
    const id = reader.byte();
    const content = new Reader(reader.take(reader.unsigned()));
    if (id === section.import) isPlugin = Buffer.from(content.bytes).includes(extismNamespace);
    if (id !== section.export) continue;
    for (let count = content.unsigned(); count > 0; count--) {
      const name = content.name();
      if (content.byte() === functionKind) functions.push(name);
      content.unsigned();
    }
  }
  return { isPlugin, hasStart: functions.includes('_start'), functions: callableNames(functions) };
}
