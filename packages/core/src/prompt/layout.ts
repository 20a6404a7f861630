import type { TemplateSegment } from './fill-template.ts';

/**
 * The slots for composed text, by their names in a template: bodies of skills, the listing of
 * skills, and gathered context.
 */
export const slots = ['skills', 'available_skills', 'skill_context'] as const;
export type Slot = (typeof slots)[number];

/** A piece of the base prompt, or a slot with its separators. */
export type LaidOut =
  | { slot: null; text: string }
  | { slot: Slot; open: string; close: string; isPlacedByTemplate: boolean };

/**
 * Places the slots that have content. A slot that the template names is at its first occurrence.
 * Otherwise skills follow the first `</identity>` of the prompt's own text (not of a variable's
 * value), or come first; the listing and gathered context come last, in this order, set off by a
 * blank line. Empty slots are dropped. Adjacent texts are merged, and no text is empty.
 */
export function layOut(
  segments: readonly TemplateSegment[],
  isFilled: Readonly<Record<Slot, boolean>>,
): LaidOut[] {
  const used = new Set<Slot>();
  const named = segments.map((segment): LayoutItem => {
    const slot = slots.find((each) => each === segment.variable);
    if (slot === undefined) return { slot: null, text: segment.text, isOwn: segment.variable === null };
    if (used.has(slot) || !isFilled[slot]) return { slot: null, text: '', isOwn: false };
    used.add(slot);
    return { slot, open: '', close: '', isPlacedByTemplate: true };
  });
  const byRule = (slot: Slot): LayoutItem[] =>
    isFilled[slot] && !used.has(slot) ? [{ slot, open: '', close: '', isPlacedByTemplate: false }] : [];
  const withSkills = afterIdentity(named, byRule('skills'));
  return setOff(joined([...withSkills, ...byRule('available_skills'), ...byRule('skill_context')]));
}

type LayoutItem = Exclude<LaidOut, { slot: null }> | { slot: null; text: string; isOwn: boolean };

const endOfIdentity = '</identity>';

function afterIdentity(items: readonly LayoutItem[], inserted: readonly LayoutItem[]): LayoutItem[] {
  const index = items.findIndex(
    (item) => item.slot === null && item.isOwn && item.text.includes(endOfIdentity),
  );
  const found = items[index];
  if (found === undefined || found.slot !== null) return [...inserted, ...items];
  const end = found.text.indexOf(endOfIdentity) + endOfIdentity.length;
  return [
    ...items.slice(0, index),
    { ...found, text: found.text.slice(0, end) },
    ...inserted,
    { ...found, text: found.text.slice(end) },
    ...items.slice(index + 1),
  ];
}

function joined(items: readonly LayoutItem[]): LaidOut[] {
  const all: LaidOut[] = [];
  for (const item of items) {
    const last = all.at(-1);
    if (item.slot !== null) all.push(item);
    else if (last?.slot === null) last.text += item.text;
    else if (item.text !== '') all.push({ slot: null, text: item.text });
  }
  return all;
}

function setOff(items: readonly LaidOut[]): LaidOut[] {
  return items.map((item, index) => {
    if (item.slot === null || item.isPlacedByTemplate) return item;
    return { ...item, open: breakAfter(items[index - 1]), close: breakBefore(items[index + 1]) };
  });
}

function breakAfter(item: LaidOut | undefined): string {
  if (item === undefined) return '';
  if (item.slot !== null) return '\n\n';
  return item.text.endsWith('\n\n') ? '' : item.text.endsWith('\n') ? '\n' : '\n\n';
}

function breakBefore(item: LaidOut | undefined): string {
  if (item === undefined) return '';
  if (item.slot !== null) return item.isPlacedByTemplate ? '\n\n' : '';
  return /^\r?\n/.test(item.text) ? '' : '\n\n';
}
