import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFilterable, seccompFilter } from './filter.ts';

/**
 * Writes the filter for this machine into a file that has no name any more, and returns a function that opens it anew:
 * each run needs a descriptor that stands at the start. The caller closes what it gets. `undefined` on a machine that
 * there is no filter for.
 */
export function openFilter(): () => number | undefined {
  if (!isFilterable(process.arch)) return () => undefined;
  const folder = mkdtempSync(join(tmpdir(), 'ambit-filter-'));
  const file = join(folder, 'filter');
  writeFileSync(file, seccompFilter(process.arch));
  const held = openSync(file, 'r');
  rmSync(folder, { recursive: true });
  return () => openSync(`/proc/self/fd/${held}`, 'r');
}
