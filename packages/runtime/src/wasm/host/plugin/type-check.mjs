import { section, text, vector, wasmHeader } from '../wasm-section.mjs';

/**
 * A module that links with a plug-in only when its `run` takes nothing and returns an i32, and its memory, if it exports
 * one, is of 32 bits. As text:
 *
 *     (import "skill" "run" (func (result i32)))
 *     (import "skill" "memory" (memory 0))
 *
 * @param {WebAssembly.Module} skill
 */
export function typeCheck(skill) {
  const hasMemory = WebAssembly.Module.exports(skill).some(
    ({ name, kind }) => name === 'memory' && kind === 'memory',
  );
  const imports = [
    [...text('skill'), ...text('run'), 0x00, 0],
    ...(hasMemory ? [[...text('skill'), ...text('memory'), 0x02, 0x00, 0]] : []),
  ];
  return new WebAssembly.Module(
    Uint8Array.from([
      ...wasmHeader,
      ...section(1, vector([[0x60, 0, 1, 0x7f]])),
      ...section(2, vector(imports)),
    ]),
  );
}
