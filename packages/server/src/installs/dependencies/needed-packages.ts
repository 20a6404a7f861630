import { type InspectedScript, safeText } from '@ambit/core/inspect';
import { declaredIn } from './declared-in.ts';

/** The packages that a skill needs, as its files say. All texts are safe for terminals and models. */
export interface NeededPackages {
  declared: { kind: 'python' | 'npm'; text: string; file: string }[];
  /** Declarations that cannot be locked, and why. */
  refused: { file: string; text: string; reason: string }[];
  /** Packages that scripts seem to import and that are not declared, by their usual names. */
  guessed: { kind: 'python' | 'npm'; name: string }[];
}

/** Reads what a skill declares, and guesses from its imports what it does not. Runs nothing. */
export async function neededPackages(
  root: string,
  scripts: readonly Pick<InspectedScript, 'language' | 'packages'>[],
): Promise<NeededPackages> {
  const { requirements, refused } = await declaredIn(root).catch(() => ({ requirements: [], refused: [] }));
  const known = new Set(requirements.map(({ kind, name }) => `${kind} ${name}`));
  const guessed = new Map<string, NeededPackages['guessed'][number]>();
  for (const { language, packages } of scripts) {
    const kind = language === 'python' ? 'python' : 'npm';
    if (kind === 'npm' && language !== 'javascript') continue;
    for (const name of packages) {
      const key = `${kind} ${kind === 'python' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name}`;
      if (known.has(key) || !/^@?[\w~-]/.test(name)) continue;
      guessed.set(key, { kind, name });
    }
  }
  return {
    declared: requirements.map(({ kind, text, file }) => ({
      kind,
      text: safeText(text),
      file: safeText(file),
    })),
    refused: refused.map(({ file, text, reason }) => ({
      file: safeText(file),
      text: safeText(text),
      reason: safeText(reason),
    })),
    guessed: [...guessed.values()],
  };
}
