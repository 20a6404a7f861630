import type { SandboxedProgram } from '../../process/sandbox/sandbox.ts';

const tailBytes = 16 * 1024;

type End = Awaited<SandboxedProgram['ended']>;

/** The end of a host's stderr, where only Node itself writes. */
export function stderrTail({ stderr }: SandboxedProgram): () => string {
  let last = Buffer.alloc(0);
  stderr.on('data', (chunk: Uint8Array) => {
    last = Buffer.concat([last, chunk]).subarray(-tailBytes);
  });
  stderr.on('error', () => undefined);
  stderr.resume();
  return () => last.toString();
}

/** The result of a call whose host process ended, from its exit and the end of its stderr. */
export function lostHost(end: End, stderr: string): { status: 'lost'; outOfMemory: boolean; detail: string } {
  const outOfMemory = end.status === 'out-of-memory' || v8RanOutOfMemory(stderr);
  return { status: 'lost', outOfMemory, detail: endText(end, stderr) };
}

function v8RanOutOfMemory(stderr: string): boolean {
  return /^FATAL ERROR: .*out of memory|^# Fatal process out of memory|^# Fatal JavaScript out of memory/im.test(
    stderr,
  );
}

export function endText(end: End, stderr: string): string {
  return `the host process ended with ${JSON.stringify(end)}: ${stderr.trim()}`;
}
