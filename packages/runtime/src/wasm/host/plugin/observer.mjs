import { section, text, vector, wasmHeader } from '../wasm-section.mjs';

/** The module that the observer imports its one host function from. */
export const observerNamespace = 'ambit:observer';

/**
 * A module that stands before the skill's: it calls the skill's `run`, tells the host what that returned, and
 * shows the skill's memory when that is exported. Linking it fails when the skill's `run` or memory is not of the right
 * type. As text:
 *
 *     (import "skill" "run" (func $run (result i32)))
 *     (import "ambit:observer" "returned" (func $returned (param i32)))
 *     (import "skill" "memory" (memory 0))
 *     (func (export "run") (result i32) (call $returned (call $run)) (i32.const 0))
 *     (export "memory" (memory 0))
 *
 * @param {WebAssembly.Module} skill
 */
export function observer(skill) {
  const hasMemory = WebAssembly.Module.exports(skill).some(
    ({ name, kind }) => name === 'memory' && kind === 'memory',
  );
  const imports = [
    [...text('skill'), ...text('run'), 0x00, 0],
    [...text(observerNamespace), ...text('returned'), 0x00, 1],
    ...(hasMemory ? [[...text('skill'), ...text('memory'), 0x02, 0x00, 0]] : []),
  ];
  const exports = [[...text('run'), 0x00, 2], ...(hasMemory ? [[...text('memory'), 0x02, 0]] : [])];
  const body = [0, 0x10, 0, 0x10, 1, 0x41, 0, 0x0b];
  return new WebAssembly.Module(
    Uint8Array.from([
      ...wasmHeader,
      ...section(
        1,
        vector([
          [0x60, 0, 1, 0x7f],
          [0x60, 1, 0x7f, 0],
        ]),
      ),
      ...section(2, vector(imports)),
      ...section(3, vector([[0]])),
      ...section(7, vector(exports)),
      ...section(10, vector([[body.length, ...body]])),
    ]),
  );
}
