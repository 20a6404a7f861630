// Threat model: T187

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWhole } from '../../../../../test/support/whole.ts';
import { moduleOf } from '../testing/module-of.ts';
import { instanceOf, meteredBytes, outcomeOf, plenty } from './testing/metered.ts';
import { interpret, programs, textOf } from './testing/small-program.ts';

type Run = (...args: number[]) => unknown;

test('a program returns the same result metered and unmetered, uses one unit of fuel for each instruction, and ends with one less', () => {
  const given = fc.tuple(fc.integer(), fc.integer(), fc.integer());
  fc.assert(
    fc.property(programs, given, (program, numbers) => {
      const bytes = Uint8Array.from(moduleOf(textOf(program)));
      const plain = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports['run'] as Run;
      const metered = instanceOf(bytes, { fuel: plenty });
      const { result, instructions } = interpret(program, numbers);
      expect([plain(...numbers), outcomeOf(metered, plenty, ...numbers)]).toEqual([
        result,
        { ended: result, used: instructions },
      ]);
      if (instructions === 0n) return;
      const tooLittle = instanceOf(bytes, { fuel: instructions - 1n });
      expect(outcomeOf(tooLittle, 0n, ...numbers).ended).toBe('unreachable');
      expect(tooLittle.fuel()).toBeLessThan(0n);
    }),
    { numRuns: isWhole ? 500 : 100 },
  );
});

test.each(['text-redact', 'text-diff'])('the metered bundled plug-in %s behaves the same', (skill) => {
  const bytes = Uint8Array.from(
    readFileSync(new URL(`../../../../../skills/${skill}/skill.wasm`, import.meta.url)),
  );
  const plain = new WebAssembly.Module(bytes);
  const metered = new WebAssembly.Module(meteredBytes(bytes));
  const own = ({ name }: { name: string }): boolean => name.startsWith('ambit:');
  expect(WebAssembly.Module.imports(metered)).toEqual(WebAssembly.Module.imports(plain));
  const exports = WebAssembly.Module.exports(metered);
  expect(exports.filter((one) => !own(one))).toEqual(WebAssembly.Module.exports(plain));
});
