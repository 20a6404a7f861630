import { meterModule } from '../meter-module.mjs';

/** The exports of a metered module, besides its own functions on numbers. */
export interface Metered {
  run: (...args: number[]) => unknown;
  begin: (fuel: bigint, memoryPages: number, tableGrowth: number) => void;
  fuel: () => bigint;
  refused: () => number;
  pages: () => number;
  start: (() => void) | undefined;
}

/** More than any test uses. */
export const plenty = 2n ** 62n;

/** Meters a module; throws the reason if it is refused. */
export function meteredBytes(bytes: Uint8Array, untrusted = true): Uint8Array<ArrayBuffer> {
  const metered = meterModule(bytes, { untrusted });
  if (metered.status === 'refused') throw new Error(metered.problem);
  return Uint8Array.from(metered.bytes);
}

/** An instance of a metered module. Without `budget`, `ambit:begin` is not called. */
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

/** Returns the end of a call, and its fuel. */
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
