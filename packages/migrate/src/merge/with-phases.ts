import { readSidecar } from '@ambit/core/skill';
import { isScalar, isSeq, parse, parseDocument, type YAMLSeq } from 'yaml';

/**
 * Adds phases to the text of an `ambit.yaml`, and preserves everything else, including comments and
 * layout. Skips phases that are already listed. A sidecar for every phase stays so.
 *
 * Throws `SKILL_INVALID` if the text is not a valid sidecar.
 */
export function withPhases(text: string, phases: readonly string[]): string {
  const { phases: before } = readSidecar(text);
  const more = phases.filter((phase) => !before.includes(phase));
  if (more.length === 0 || before.length === 0) return text;
  const edited = spliced(text, more);
  // The parser rewrites anchors, tags and unusual layouts, and preserves comments.
  return edited !== undefined && isRight(edited, [...before, ...more])
    ? edited
    : rewritten(text, [...before, ...more]);
}

/** Changes only the list of phases. `undefined` for an unusual layout. */
function spliced(text: string, more: readonly string[]): string | undefined {
  const phases = parseDocument(text).get('phases', true);
  const words = more.map(yamlWord);
  if (isScalar(phases) && phases.range) {
    const [start, end] = phases.range;
    return `${text.slice(0, start)}[${[text.slice(start, end), ...words].join(', ')}]${text.slice(end)}`;
  }
  if (!isSeq(phases) || !phases.range) return undefined;
  return phases.flow === true ? inFlow(text, phases, words) : inBlock(text, phases, words);
}

function inFlow(text: string, phases: YAMLSeq, words: readonly string[]): string | undefined {
  const end = lastEnd(phases);
  return end === undefined ? undefined : `${text.slice(0, end)}, ${words.join(', ')}${text.slice(end)}`;
}

function inBlock(text: string, phases: YAMLSeq, words: readonly string[]): string | undefined {
  const end = lastEnd(phases);
  if (end === undefined) return undefined;
  const indent = /^[ \t]*(?=- )/.exec(text.slice(text.lastIndexOf('\n', end - 1) + 1))?.[0];
  if (indent === undefined) return undefined;
  const [lineEnd = ''] = /^[^\r\n]*/.exec(text.slice(end)) ?? [];
  const at = end + lineEnd.length;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = words.map((word) => `${newline}${indent}- ${word}`).join('');
  return `${text.slice(0, at)}${lines}${text.slice(at)}`;
}

function lastEnd({ items }: YAMLSeq): number | undefined {
  const last = items.at(-1);
  return isScalar(last) ? last.range?.[1] : undefined;
}

function yamlWord(phase: string): string {
  return /^[\w-]+$/.test(phase) && parse(phase) === phase ? phase : JSON.stringify(phase);
}

function isRight(text: string, phases: readonly string[]): boolean {
  try {
    return JSON.stringify(readSidecar(text).phases) === JSON.stringify(phases);
  } catch {
    return false;
  }
}

function rewritten(text: string, phases: readonly string[]): string {
  const document = parseDocument(text);
  document.set('phases', document.createNode(phases, { flow: true }));
  return document.toString({ lineWidth: 0 });
}
