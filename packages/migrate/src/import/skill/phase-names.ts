import { quote, type ReportLine } from './imported.ts';

/** The phase of skills that have none. No agent is ever in it, so they are selected only by name. */
export const onRequest = 'on-request';

const lengthMax = 100;

/**
 * The names of phases for a sidecar: lower case, without duplicates. `*` means every phase, which is an
 * empty list. Invalid names are left out, with a line.
 */
export function phaseNames(phases: readonly string[], about: string, lines: ReportLine[]): string[] {
  const names = phases.flatMap((phase) => phaseName(phase, about, lines) ?? []);
  if (names.includes('*')) {
    lines.push({ kind: 'changed', about, text: 'names the phase *, which means every phase' });
    return [];
  }
  // An empty list would mean every phase, the opposite of what the source meant.
  return phases.length > 0 && names.length === 0 ? [onRequest] : [...new Set(names)];
}

/** The name of one phase; `undefined`, with a line, if it is invalid. */
export function phaseName(phase: string, about: string, lines: ReportLine[]): string | undefined {
  const name = phase.trim().toLowerCase();
  if (name !== '' && name.length <= lengthMax && name !== '__proto__' && !/[\p{Cc}\p{Cs}]/u.test(name))
    return name;
  lines.push({
    kind: 'left-out',
    about,
    text: `names the phase ${quote(phase)}, which is not a valid phase name`,
  });
  return undefined;
}
