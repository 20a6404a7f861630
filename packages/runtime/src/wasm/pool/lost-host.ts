import type { SandboxedProgram } from '../../process/sandbox/sandbox.ts';

const lastWordsBytes = 16 * 1024;

type End = Awaited<SandboxedProgram['ended']>;

/** The last that it wrote to stderr, where only Node itself writes. */
export function tail({ stderr }: SandboxedProgram): () => string {
  let kept = Buffer.alloc(0);
  stderr.on('data', (chunk: Uint8Array) => {
    kept = Buffer.concat([kept, chunk]).subarray(-lastWordsBytes);
  });
  stderr.on('error', () => undefined);
  stderr.resume();
  return () => kept.toString();
}

/** What becomes of a call whose host process ended, by how it did and its last words. */
export function lost(end: End, words: string): { status: 'lost'; outOfMemory: boolean; detail: string } {
  const outOfMemory = end.status === 'out-of-memory' || v8RanOutOfMemory(words);
  return { status: 'lost', outOfMemory, detail: endText(end, words) };
}

function v8RanOutOfMemory(lastWords: string): boolean {
  return /^FATAL ERROR: .*out of memory|^# Fatal process out of memory|^# Fatal JavaScript out of memory/im.test(
    lastWords,
  );
}

export function endText(end: End, words: string): string {
  return `the host process ended as ${JSON.stringify(end)}: ${words.trim()}`;
}
