import { mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InstallError } from '../install-error.ts';
import type { Source } from '../source/source.ts';
import { signatureBytesMax } from '../source/source-bounds.ts';
import type { FoundSkill } from './survey.ts';

/**
 * Writes the files of skills below `into`, an empty folder of this process: each skill into the folder that `placeOf` names.
 * Files have mode 644, or 755 if they were executable. Resolves to the contents of the signature files, which are not
 * written; a link or a file that is too large for a signature is `null`. Rejects with an `InstallError`, also if the source no
 * longer has what the survey found; what was written by then stays.
 */
export async function writeSkills(
  source: Source,
  skills: readonly FoundSkill[],
  into: string,
  placeOf: (skill: FoundSkill) => string,
): Promise<ReadonlyMap<FoundSkill, Uint8Array | null>> {
  const signatures = new Map<FoundSkill, Uint8Array | null>();
  const signed = new Map(
    skills.flatMap((skill) =>
      skill.signature === undefined ? [] : [[skill.signature.place, skill] as const],
    ),
  );
  const isSignature = (at: number): boolean => {
    const { kind, bytes } = signed.get(at)?.signature ?? {};
    return kind === 'file' && (bytes ?? 0) <= signatureBytesMax;
  };
  // One entry can be several files: links to it are copies.
  const wanted = Map.groupBy(
    skills.flatMap((skill) =>
      skill.files.map((file) => ({ ...file, to: join(into, placeOf(skill), file.path) })),
    ),
    (file) => file.place,
  );
  let place = 0;
  for await (const entry of source.entries((at) => wanted.has(at) || isSignature(at))) {
    const found = wanted.get(place);
    const signs = signed.get(place);
    if (signs !== undefined)
      signatures.set(signs, entry.kind === 'file' && isSignature(place) ? await entry.read() : null);
    place += 1;
    if (found === undefined) continue;
    const content = entry.kind === 'file' ? await entry.read() : undefined;
    for (const { to, bytes, isExecutable } of found) {
      if (content?.length !== bytes)
        throw new InstallError('SOURCE_DAMAGED', `the source changed while it was read; try again`);
      await mkdir(dirname(to), { recursive: true });
      // Fails for anything that exists, a link among them.
      const written = await open(to, 'wx', isExecutable ? 0o755 : 0o644);
      try {
        await written.writeFile(content);
      } finally {
        await written.close();
      }
    }
    wanted.delete(place - 1);
  }
  if (wanted.size > 0)
    throw new InstallError('SOURCE_DAMAGED', 'the source changed while it was read; try again');
  // After the files, so that nothing is written through a link.
  for (const skill of skills)
    for (const { path, target } of skill.links) {
      const at = join(into, placeOf(skill), path);
      await mkdir(dirname(at), { recursive: true });
      await symlink(target, at);
    }
  return signatures;
}
