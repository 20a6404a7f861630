import type { Limits } from '@ambit/core';

/** What a host process is told before the module and the input. */
export interface HostRequest {
  /** The module's length; the input is the rest. */
  moduleBytes: number;
  memoryBytes: number;
  outputBytes: number;
}

/** What a host process says of a call. */
export type HostVerdict =
  /** The output follows. */
  | { status: 'returned'; outputBytes: number }
  | { status: 'failed'; trap: string }
  | { status: 'out-of-memory' }
  | { status: 'output-too-large' }
  /** The module is not one that can be called; `problem` goes on from its name. */
  | { status: 'refused'; problem: string };

/** What was learnt from all that a host process wrote. */
export type HostAnswer =
  | Exclude<HostVerdict, { status: 'returned' }>
  | { status: 'returned'; output: Uint8Array }
  /** It never came so far as to look at the module. */
  | { status: 'absent' }
  /** It ended after that and before it said how the call did. */
  | { status: 'cut-off' };

const lengthBytes = 4;

/** What a host process writes first, once it is about to look at the module; main.mjs has the same. */
const greeting = 'ambit-wasm 1\n';

/** One frame for a host's stdin: the header's length in 4 bytes, most significant first, the header, module, input. */
export function encodeRequest(
  { memoryBytes, outputBytes }: Limits,
  module: Uint8Array,
  input: Uint8Array,
): Uint8Array {
  const request: HostRequest = { moduleBytes: module.length, memoryBytes, outputBytes };
  const header = new TextEncoder().encode(JSON.stringify(request));
  const frame = new Uint8Array(lengthBytes + header.length + module.length + input.length);
  new DataView(frame.buffer).setUint32(0, header.length);
  frame.set(header, lengthBytes);
  frame.set(module, lengthBytes + header.length);
  frame.set(input, lengthBytes + header.length + module.length);
  return frame;
}

/** Reads all that a host process wrote: the greeting, then one frame, in which the output follows the header. */
export function readAnswer(stdout: Uint8Array): HostAnswer {
  const text = (start: number, end: number): string => new TextDecoder().decode(stdout.subarray(start, end));
  if (text(0, greeting.length) !== greeting) return { status: 'absent' };
  const frame = stdout.subarray(greeting.length);
  if (frame.length < lengthBytes) return { status: 'cut-off' };
  const headerEnd = lengthBytes + new DataView(frame.buffer, frame.byteOffset).getUint32(0);
  if (frame.length < headerEnd) return { status: 'cut-off' };
  // The host is our own program, and nothing in the module can reach its stdout.
  const verdict: HostVerdict = JSON.parse(text(greeting.length + lengthBytes, greeting.length + headerEnd));
  if (verdict.status !== 'returned') return verdict;
  const output = frame.subarray(headerEnd);
  return output.length === verdict.outputBytes ? { status: 'returned', output } : { status: 'cut-off' };
}
