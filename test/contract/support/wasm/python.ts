import { scriptThat } from '../python-scripts.ts';
import type { WasmSkills } from './wasm-world.ts';

/** Python in WebAssembly, with the scripts that the process executor runs as programs. */
export const python: WasmSkills = {
  entry: 'scripts/run.py',
  contentThat: (behaviour) => (behaviour === 'cannot start' ? undefined : scriptThat(behaviour)),
};
