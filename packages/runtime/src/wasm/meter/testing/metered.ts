import { meterModule } from '../meter-module.mjs';

/** What a metered module exports besides its own functions, which take and return numbers here. */
export interface Metered {
  run: (...args: number[]) => unknown;
  begin: (fuel: bigint, memoryPages: number, tableGrowth: number) => void;
  fuel: () => bigint;
  refused: () => number;
  pages: () => number;
  start: (() => void) | undefined;
}

/** More than any of the tests uses. */
export const plenty = 2n ** 62n;

/** The module, metered; throws what it was refused for. */
export function meteredBytes(bytes: Uint8Array, untrusted = true): Uint8Array<ArrayBuffer> {
  const metered = meterModule(bytes, { untrusted });
  if (metered.status === 'refused') throw new Error(metered.problem);
  return Uint8Array.from(metered.bytes);
}

/** An instance of a module, metered. `budget` absent: it has not begun. */
export function instanceOf(
  bytes: Uint8Array,
  budget?: { fuel: bigint; memoryPages?: number; tableGrowth?: number },
  imports: WebAssembly.Imports = {},
): Metered {
  const module = new WebAssembly.Module(meteredBytes(bytes, false));
  const { exports } = new WebAssembly.Instance(module, imports);
  const instance = {
    run: exports['run'],
    begin: exports['ambit:begin'],
    fuel: exports['ambit:fuel'],
    refused: exports['ambit:refused'],
    pages: exports['ambit:pages'],
    start: exports['ambit:start'],
  } as unknown as Metered;
  if (budget !== undefined)
    instance.begin(budget.fuel, budget.memoryPages ?? 100, budget.tableGrowth ?? 1000);
  return instance;
}

/** How a call ended and what it used of its fuel. */
export function outcomeOf(
  instance: Metered,
  fuel: bigint,
  ...args: number[]
): { ended: unknown; used: bigint } {
  const ended = ((): unknown => {
    try {
      return instance.run(...args);
    } catch (error) {
      return error instanceof WebAssembly.RuntimeError ? error.message : error;
    }
  })();
  return { ended, used: fuel - instance.fuel() };
}
