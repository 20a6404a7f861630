import { lazy } from '../../lazy.ts';
import { type CountTokens, estimateTokens } from '../../model-text/count-tokens.ts';
import { leftOutText } from '../../select/reason-text.ts';
import { listedId } from '../../skill/alias.ts';
import { templateSegments } from '../fill-template.ts';
import { readBudget } from '../fit-sections.ts';
import { type LaidOut, layOut, type Slot, slots } from '../layout.ts';
import { type Block, type CountedText, partsOf } from './block.ts';
import type { Composition, CompositionInput, Part } from './composition.ts';
import { contextBlock } from './context-block.ts';
import { fitBlocks } from './fit-blocks.ts';
import { skillBlocks } from './skill-blocks.ts';
import { counting, remembering, skillTexts } from './skill-texts.ts';
import { skillsMetadata } from './skills-metadata.ts';

/**
 * Composes an agent's prompt from its system prompt, the selected skills and gathered context, with
 * the reason for each part. Use `promptComposer` to compose repeatedly.
 */
export function composePrompt({
  countTokens,
  relativeTo,
  ...input
}: CompositionInput & {
  countTokens?: CountTokens | undefined;
  /** Paths in an index below this folder are relative to it. Absent: all are absolute. */
  relativeTo?: string | undefined;
}): Composition {
  return promptComposer(countTokens, relativeTo)(input);
}

/** The same, caching texts and token counts of skills while the skills are in use. */
export function promptComposer(
  countTokens: CountTokens = estimateTokens,
  relativeTo?: string,
): (input: CompositionInput) => Composition {
  const count = counting(countTokens);
  const texts = skillTexts(count, relativeTo);
  const countBase = remembering(count);
  return (given) => {
    const input = withMetadata(given);
    const { selection } = input;
    const { budget, warnings: budgetWarnings } = readBudget(input.budgetTokens);
    const planned = skillBlocks(input, texts, count);
    const blocks = [...planned.blocks, contextBlock(input.context, selection, count)];
    const baseTokens = budget === Number.POSITIVE_INFINITY ? 0 : baseTokensMax(input, blocks, countBase);
    const fitted = fitBlocks(blocks, budget, baseTokens, { cut: input.cut, countTokens });
    const parts = assembled(input, fitted.blocks, countBase);
    const leftOut = lazy(() => [
      ...selection.leftOut.map((each) => ({
        id: each.id,
        what: 'skill' as const,
        because: leftOutText(each),
      })),
      ...planned.leftOut,
      ...fitted.leftOut,
    ]);
    return {
      prompt: parts.map(({ text }) => text).join(''),
      tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
      parts,
      // Built on demand: it lists nearly all of a thousand skills, and only explanations use it.
      get leftOut() {
        return leftOut();
      },
      tools: selection.tools,
      mcpServers: selection.mcpServers,
      warnings: [
        ...selection.warnings,
        ...unknownActive(input),
        ...planned.warnings,
        ...budgetWarnings,
        ...(baseTokens > budget
          ? [
              `the system prompt needs up to ${baseTokens} tokens, more than the budget of ${budget}; nothing was added`,
            ]
          : []),
      ],
    };
  };
}

/** Adds the variable if the system prompt can name it and the caller does not set it. */
function withMetadata(input: CompositionInput): CompositionInput {
  const { systemPrompt, selection, variables } = input;
  if (!systemPrompt.includes('skills_metadata')) return input;
  return { ...input, variables: { skills_metadata: skillsMetadata(selection), ...variables } };
}

function unknownActive({ active = [], selection }: CompositionInput): string[] {
  const selected = new Set(selection.skills.flatMap(({ skill }) => [skill.id, listedId(skill)]));
  const missing = active.filter((id) => !selected.has(id));
  if (missing.length === 0) return [];
  const others = new Set(
    selection.leftOut.flatMap(({ id, reason }) => (reason.kind === 'unknown' ? [] : [id])),
  );
  return missing.map((id) =>
    others.has(id)
      ? `${id} is in "active" but is not selected; include it in the selection`
      : `${id} is in "active", but no skill has that id`,
  );
}

/** The most tokens that the system prompt can take, with separators, whichever slots are filled. */
function baseTokensMax(
  input: CompositionInput,
  blocks: readonly Block[],
  count: (text: string) => CountedText,
): number {
  const filled = slots.filter((slot) =>
    blocks.some((block) => block.slot === slot && block.pieces.length > 0),
  );
  const sizes = Array.from({ length: 2 ** filled.length }, (_, choice) => {
    const present = filled.filter((_slot, index) => (choice >> index) % 2 === 1);
    return laidOut(input, present).reduce((sum, item) => {
      const own = item.slot === null ? [item.text] : [item.open, item.close];
      return sum + own.reduce((tokens, text) => tokens + count(text).tokens, 0);
    }, 0);
  });
  return Math.max(...sizes) + (filled.length === 0 ? 0 : count(blockBreak).tokens);
}

/** Separates instructions from background, which share a slot. */
const blockBreak = '\n\n';

function laidOut({ systemPrompt, variables }: CompositionInput, present: readonly Slot[]): LaidOut[] {
  const isFilled = Object.fromEntries(slots.map((slot) => [slot, present.includes(slot)]));
  const filled = isFilled as Record<Slot, boolean>;
  return layOut(templateSegments(systemPrompt, { ...variables, ...filled }), filled);
}

function assembled(
  input: CompositionInput,
  blocks: ReturnType<typeof fitBlocks>['blocks'],
  count: (text: string) => CountedText,
): Part[] {
  const present = slots.filter((slot) => blocks.some(({ block }) => block.slot === slot));
  const parts = laidOut(input, present).flatMap((item): Omit<Part, 'order'>[] => {
    if (item.slot === null) return [basePart(item.text, count)];
    const inSlot = blocks
      .filter(({ block }) => block.slot === item.slot)
      .flatMap(({ block, kept }, index) =>
        withText(partsOf(block, kept), index === 0 ? '' : blockBreak, '', count),
      );
    return withText(inSlot, item.open, item.close, count);
  });
  return parts.map((part, index) => ({ ...part, order: index + 1 }));
}

function basePart(text: string, count: (text: string) => CountedText): Omit<Part, 'order'> {
  return {
    kind: 'base',
    origin: 'system prompt',
    because: 'given',
    ...count(text),
    characters: text.length,
    isCut: false,
  };
}

function withText(
  parts: readonly Omit<Part, 'order'>[],
  before: string,
  behind: string,
  count: (text: string) => CountedText,
): Omit<Part, 'order'>[] {
  return parts.map((part, index) => {
    const first = index === 0 ? before : '';
    const last = index === parts.length - 1 ? behind : '';
    if (first === '' && last === '') return part;
    const text = first + part.text + last;
    const tokens = count(first).tokens + part.tokens + count(last).tokens;
    return { ...part, text, tokens, characters: text.length };
  });
}
