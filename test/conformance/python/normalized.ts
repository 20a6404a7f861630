import type { RunResult } from '../../../packages/core/src/execute.ts';

/** Returns what a caller sees of a run, without what depends on where Python is installed. */
export function normalized({ outcome, files }: RunResult): object {
  return {
    outcome: withStderr(outcome),
    files: files?.map(({ path, change, content, omitted }) => ({
      path,
      change,
      omitted,
      content: content instanceof Uint8Array ? Buffer.from(content).toString('latin1') : null,
    })),
  };
}

function withStderr(outcome: RunResult['outcome']): object {
  if (outcome.status === 'succeeded') {
    const output = outcome.output as { stderr: string };
    return { ...outcome, output: { ...output, stderr: withoutLibrary(output.stderr) } };
  }
  return 'stderr' in outcome && outcome.stderr !== undefined
    ? { ...outcome, stderr: withoutLibrary(outcome.stderr) }
    : outcome;
}

/**
 * Names the standard library by its own path only, without the numbers of lines, which depend on the
 * patches of the distribution. Drops the lines that quote its source: an archive has none.
 */
function withoutLibrary(stderr: string): string {
  const lines: string[] = [];
  let quoted: string | undefined;
  for (const line of stderr.split('\n')) {
    if (quoted !== undefined && line.startsWith(quoted)) continue;
    const named = line.replace(/\/usr\/lib\/python3\.11\/([^"]+", line )\d+/, 'LIBRARY/$1N');
    lines.push(named);
    const frame = /^((?: {2}\+ | {2}\| |[ |]*)) {2}File "LIBRARY\//.exec(named);
    quoted = frame === null ? undefined : `${frame[1]}    `;
  }
  return lines.join('\n');
}
