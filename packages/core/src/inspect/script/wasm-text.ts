import type { WasmNeeds } from './wasm-needs.ts';

/** Whether a Python script runs in WebAssembly, as far as its text shows, in a few words. */
export function wasmText({
  needs,
  mayNeed,
}: Readonly<{ [Key in keyof WasmNeeds]: readonly string[] }>): string {
  if (needs.length > 0) return `needs ${needs.join(', ')}: not in WebAssembly, so it only runs as a program`;
  return mayNeed.length > 0
    ? `runs in WebAssembly; may need ${mayNeed.join(', ')}, which is missing there`
    : 'runs in WebAssembly';
}
