import type { FoundPlace } from '../finding.ts';
import type { InspectedFile } from '../inspected-skill.ts';

/**
 * Findings on compiled Python. Python runs a `.pyc` in place of its source if its header fits the
 * source, and never looks at the rest (PEP 552).
 */
export function bytecodeFindings(files: readonly InspectedFile[]): FoundPlace[] {
  const sources = new Map(files.map((file) => [file.path, file]));
  return files.flatMap(({ path, content }): FoundPlace[] => {
    if (!/\.py[co]$/i.test(path) || content === undefined) return [];
    const source = sources.get(sourceOf(path));
    const problem = problemOf(content, source);
    return [
      {
        rule: 'file-bytecode',
        file: path,
        severity: problem === undefined ? 'medium' : 'high',
        sentence: `Compiled Python, which cannot be read and can run in place of its source${problem === undefined ? '' : `; ${problem}`}. Delete it: Python compiles again.`,
      },
    ];
  });
}

function sourceOf(path: string): string {
  const [, folder = '', name = ''] =
    /^(.*?)(?:__pycache__\/)?([^/]*?)(?:\.[a-z]+-?\d+[\w-]*)?\.py[co]$/i.exec(path) ?? [];
  return `${folder}${name}.py`;
}

function problemOf(content: Uint8Array, source: InspectedFile | undefined): string | undefined {
  if (source === undefined) return 'its source is missing';
  if (content.length < 16) return 'it is too short to be compiled Python';
  const header = new DataView(content.buffer, content.byteOffset, 16);
  const flags = header.getUint32(4, true);
  if (flags === 1) return 'its header switches off the comparison with its source';
  if (flags !== 0) return undefined;
  return header.getUint32(12, true) === source.bytes % 2 ** 32
    ? undefined
    : 'it was compiled from another source than the one beside it';
}
