import type { CallRecord } from '../audit/call-record-schema.ts';
import { reportedLack } from '../execute/call/failure-hint.ts';

/** Returns the lack that the stored output of a failed run reports. */
export function lackInOutput({ stored: { output } }: CallRecord): ReturnType<typeof reportedLack> {
  const stderr = output === undefined ? undefined : stderrOf(output);
  return stderr === undefined ? undefined : reportedLack(stderr);
}

/** The log stores the beginning of the JSON, which can end in the middle of the text. */
function stderrOf({ text, isCut }: { text: string; isCut: boolean }): string | undefined {
  const [, json] = /"stderr":("(?:[^"\\]|\\.)*)("?)/.exec(text) ?? [];
  if (json === undefined) return undefined;
  try {
    const stderr: unknown = JSON.parse(`${json}"`);
    if (typeof stderr !== 'string') return undefined;
    // Its last line may lack an end, and would name a part of a path.
    return isCut ? stderr.slice(0, stderr.lastIndexOf('\n') + 1) : stderr;
  } catch {
    return undefined;
  }
}
