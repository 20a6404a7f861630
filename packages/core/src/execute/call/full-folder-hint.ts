import { amountText } from '../../capability/amount.ts';
import { liesWithin } from '../../capability/filesystem.ts';
import { sandboxFolders } from '../../capability/sandbox-folders.ts';
import type { Grant } from '../../grant/grant.ts';

/** `ENOSPC` in the output of a program. The first group that matches is the path, if the error has one. */
export const fullFolder =
  /(?:ENOSPC: )?[Nn]o space left on device(?:: |, \w+ )'(\/[^'\n]+)'|['"‘ ](\/[^\s'"’:]+)['"’]?: (?:[\w ]{1,40}: )?No space left on device|No space left on device|\bENOSPC\b/;

/** Names the full folder of a program, and how much it can hold. `undefined` for a skill in WebAssembly. */
export function fullFolderHint(path: string, { skill, limits, capabilities }: Grant): string | undefined {
  if (skill.run.runtime !== 'process') return undefined;
  const { temporary, workspace, shared } = sandboxFolders(limits.memoryBytes);
  const [half, all, least] = [temporary, workspace, shared].map(sizeText);
  const { write } = capabilities.filesystem;
  const hasWorkspace = write.includes('workspace');
  const place = write.find((root) => liesWithin(path, root));
  if (place !== undefined)
    return `The skill's output says that ${place} is full: that is a disk of this machine. A person can free some space there.`;
  if (liesWithin(path, '/dev/shm'))
    return `The skill's output says that /dev/shm is full. It holds ${least}.`;
  if (liesWithin(path, '/workspace'))
    return `The skill's output says that /workspace is full. It may use all of the memory limit, ${all}. ${ownMaximum} ${moreMemory}`;
  const temporaryText = `/tmp holds ${half}, half of the memory limit`;
  if (liesWithin(path, '/tmp')) {
    const elsewhere = hasWorkspace ? ' /workspace may use all of it: have large files written there.' : '';
    return `The skill's output says that /tmp is full. ${temporaryText}.${elsewhere} ${moreMemory}`;
  }
  const workspaceText = hasWorkspace ? `, and /workspace may use all of it, ${all}. ${ownMaximum}` : '.';
  return `The skill's output says that a folder is full, but not which one. ${temporaryText}${workspaceText} ${moreMemory}`;
}

function sizeText(bytes: number): string {
  const text = amountText('memoryBytes', bytes);
  return /\d$/.test(text) ? `${text} bytes` : text;
}

const ownMaximum = 'A stored workspace also has a maximum of its own, its quota.';

const moreMemory =
  'A call can ask for more memory (--memory on the command line, "limits" over HTTP), and a person can raise the maximum.';
