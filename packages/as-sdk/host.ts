import { Text } from './text';

// Declared here instead of imported from @extism/as-pdk 1.0.0, whose outputString allocates by
// UTF-16 length, so it works for ASCII only, and which cannot set an error.
@external('extism:host/env', 'input_length') declare function inputLength(): u64;
@external('extism:host/env', 'input_load_u8') declare function inputByte(offset: u64): u32;
@external('extism:host/env', 'input_load_u64') declare function inputWord(offset: u64): u64;
@external('extism:host/env', 'alloc') declare function hostAlloc(length: u64): u64;
@external('extism:host/env', 'store_u8') declare function hostStoreByte(address: u64, value: u32): void;
@external('extism:host/env', 'store_u64') declare function hostStoreWord(address: u64, value: u64): void;
@external('extism:host/env', 'output_set') declare function outputSet(address: u64, length: u64): void;
@external('extism:host/env', 'error_set') declare function errorSet(address: u64): void;

/**
 * The call's input, or null if it is longer than `bytesMax`, which is checked before any byte is
 * copied.
 */
export function readInput(bytesMax: i32): Text | null {
  const length = inputLength();
  if (length > <u64>bytesMax) return null;
  const size = <i32>length;
  const start = heap.alloc(size);
  const words = size & ~7;
  for (let i = 0; i < words; i += 8) store<u64>(start + i, inputWord(i));
  for (let i = words; i < size; i++) store<u8>(start + i, <u8>inputByte(i));
  return new Text(start, size);
}

/** Sets the call's output. Returns the success value of `run`. */
export function writeOutput(output: Text): i32 {
  outputSet(copyToHost(output), output.length);
  return 0;
}

/** Ends the call with one clear sentence for the user. Returns the failure value of `run`. */
export function fail(sentence: string): i32 {
  errorSet(copyToHost(Text.of(sentence)));
  return 1;
}

/** Stores text in a block of the host's memory and returns its address. */
export function copyToHost(text: Text): u64 {
  const address = hostAlloc(text.length);
  const words = text.length & ~7;
  for (let i = 0; i < words; i += 8) hostStoreWord(address + i, load<u64>(text.start + i));
  for (let i = words; i < text.length; i++) hostStoreByte(address + i, load<u8>(text.start + i));
  return address;
}
