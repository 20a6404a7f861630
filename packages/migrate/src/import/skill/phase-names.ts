import { named, type ReportLine } from './imported.ts';

/** The phase of skills that are in none: nobody is ever in it, so that they are selected when they are asked for by name. */
export const onRequest = 'on-request';

const lengthMax = 100;

/**
 * The names of phases as a sidecar has them: lower case, each once. `*` stands for every phase, which is an empty list.
 * What cannot be the name of a phase is left out, with a line.
 */
export function phaseNames(phases: readonly string[], about: string, lines: ReportLine[]): string[] {
  const names = phases.flatMap((phase) => phaseName(phase, about, lines) ?? []);
  if (names.includes('*')) {
    lines.push({ kind: 'changed', about, text: 'names the phase *, which is every phase here' });
    return [];
  }
  // An empty list would be every phase, which is the opposite of what the source said.
  return phases.length > 0 && names.length === 0 ? [onRequest] : [...new Set(names)];
}

/** One such name; `undefined`, and a line, for what is none. */
export function phaseName(phase: string, about: string, lines: ReportLine[]): string | undefined {
  const name = phase.trim().toLowerCase();
  if (name !== '' && name.length <= lengthMax && name !== '__proto__' && !/[\p{Cc}\p{Cs}]/u.test(name))
    return name;
  lines.push({
    kind: 'left-out',
    about,
    text: `names the phase ${named(phase)}, which can be no phase's name`,
  });
  return undefined;
}
