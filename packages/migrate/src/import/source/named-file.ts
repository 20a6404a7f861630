import { UsageError } from '@ambit/core/outcome';
import { quote, type ReportLine } from '../skill/imported.ts';
import type { ReadFile } from './source.ts';

/** The text of the file that a manifest names for a skill; `undefined`, with a line, if it is unavailable. */
export async function namedFile(
  { name, file }: { name: string; file: string },
  readFile: ReadFile,
  lines: ReportLine[],
): Promise<string | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    lines.push({
      kind: 'left-out',
      about: quote(name),
      text: `names the file ${quote(file)}, which ${error.message}`,
    });
    return undefined;
  }
}
