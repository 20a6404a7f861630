import type { Skill } from '@ambit/core';
import type { SkillFile } from '@ambit/core/skill';
import { type MergeAction, type PhaseChange, type PlannedMerge, storedAt } from '@ambit/migrate';
import { printableLine } from '../output/printable.ts';
import type { Printer } from '../output/printer.ts';

/** One merge in lines: the action, the change of phases, and the changed files. */
export function mergeText(print: Printer, merge: PlannedMerge): string[] {
  const { action, existing, learned } = merge;
  const backup = storedAt(merge);
  const takes = (action.kind === 'replace' || action.kind === 'ask') && existing !== undefined;
  return [
    `${print.style(colours[action.kind], action.kind.padEnd(8))} ${action.id}  ${whatOf(action)}`,
    ...(takes ? fileChanges(existing, learned).map((line) => `           ${printableLine(line)}`) : []),
    ...(backup === undefined ? [] : [`           the old version is in ${backup}`]),
  ];
}

const colours = { add: 'green', keep: 'dim', extend: 'green', replace: 'yellow', ask: 'yellow' } as const;

function whatOf(action: MergeAction): string {
  switch (action.kind) {
    case 'keep':
      return reasons[action.why];
    case 'add':
      return `new, for ${phasesText(action.phases.after)}`;
    case 'extend':
    case 'replace':
    case 'ask':
      return changeText(action.phases);
    default:
      return action satisfies never;
  }
}

const reasons = {
  same: 'unchanged',
  'no-new-phase': 'already exists, and the learned skill adds no phase',
  declined: 'declined',
};

/** `phases: plan +test -review`. */
function changeText({ before, after }: PhaseChange): string {
  if (before.length === 0 || after.length === 0) {
    return before.length === after.length
      ? 'phases: every phase'
      : `phases: ${phasesText(before)} → ${phasesText(after)}`;
  }
  const marks = [
    ...before.map((phase) => (after.includes(phase) ? phase : `-${phase}`)),
    ...after.filter((phase) => !before.includes(phase)).map((phase) => `+${phase}`),
  ];
  return printableLine(`phases: ${marks.join(' ')}`);
}

function phasesText(phases: readonly string[]): string {
  return phases.length === 0 ? 'every phase' : printableLine(phases.join(', '));
}

/** `+ path`, `- path`, `~ path`; at most twenty. */
function fileChanges(before: Skill, after: Skill): string[] {
  const digests = ({ files }: Skill): Map<string, string> =>
    new Map(files.map(({ path, sha256 }: SkillFile) => [path, sha256]));
  const [old, now] = [digests(before), digests(after)];
  const lines = [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((path) => {
    if (old.get(path) === now.get(path)) return [];
    return [`${old.has(path) ? (now.has(path) ? '~' : '-') : '+'} ${path}`];
  });
  return lines.length <= 20 ? lines : [...lines.slice(0, 20), `and ${lines.length - 20} more`];
}
