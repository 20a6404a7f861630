import { oneLine } from '../model-text/one-line.ts';
import { disarmMarkup } from '../model-text/reserved-markup.ts';
import type { GatheredContext } from './context.ts';

/** One gathered item as it appears in a prompt: `open`, `text` and `close` concatenated. */
export interface ContextPiece {
  /** The type of requirement that it answers. */
  type: 'file' | 'git_status' | 'item_metadata' | 'phase_artifact' | 'errors';
  /** A path, or a name for the item. */
  origin: string;
  /** Its heading, preceded by the section's heading for the first item. */
  open: string;
  text: string;
  close: string;
}

/** Separates two pieces. */
export const contextBreak = '\n\n';

/**
 * Gathered context as Markdown, with the sections Files, Git Status, Item Metadata, Phase Artifacts
 * and Context Loading Errors. Empty sections are omitted; without content the result is the empty
 * string. No content ends its fence or forges one of our tags: `<skill` in a file becomes
 * `&lt;skill`. Everything else is unchanged.
 */
export function renderContext(context: GatheredContext): string {
  return contextPieces(context)
    .map(({ open, text, close }) => open + text + close)
    .join(contextBreak);
}

/** The same in pieces, in order. */
export function contextPieces({
  files,
  gitStatus,
  item,
  artifacts,
  errors,
}: GatheredContext): ContextPiece[] {
  const asJson = item === null ? undefined : jsonOf(item);
  const allErrors = asJson?.error === undefined ? errors : [...errors, asJson.error];
  return [
    ...files.map((file, index) => filePiece('file', file, index === 0 ? '## Files\n\n' : '')),
    ...(gitStatus === null ? [] : [gitPiece(gitStatus)]),
    ...(asJson?.text === undefined ? [] : [itemPiece(asJson.text)]),
    ...artifacts.map((file, index) =>
      filePiece('phase_artifact', file, index === 0 ? '## Phase Artifacts\n\n' : ''),
    ),
    ...(allErrors.length === 0 ? [] : [errorsPiece(allErrors)]),
  ];
}

function jsonOf(item: unknown): { text?: string; error?: { source: string; message: string } } {
  try {
    // `JSON.stringify` returns `undefined` for functions and symbols.
    return { text: JSON.stringify(item, null, 2) ?? 'null' };
  } catch (error) {
    return { error: { source: 'item metadata', message: `it is not JSON: ${(error as Error).message}` } };
  }
}

function filePiece(
  type: ContextPiece['type'],
  file: GatheredContext['files'][number],
  section: string,
): ContextPiece {
  const heading = `${section}### ${disarmMarkup(oneLine(file.path))}\n\n`;
  const note = file.note === undefined ? '' : `(${disarmMarkup(oneLine(file.note))})`;
  if (file.text === '') {
    return { type, origin: file.path, open: heading + (note || '(empty)'), text: '', close: '' };
  }
  const { open, text, close } = fenced(file.text, '');
  return {
    type,
    origin: file.path,
    open: heading + open,
    text,
    close: note === '' ? close : `${close}\n\n${note}`,
  };
}

function gitPiece(status: string): ContextPiece {
  const piece = { type: 'git_status', origin: 'git status' } as const;
  const heading = '## Git Status\n\n';
  if (status.trim() === '') return { ...piece, open: `${heading}No changes`, text: '', close: '' };
  const { open, text, close } = fenced(status, '');
  return { ...piece, open: heading + open, text, close };
}

function itemPiece(json: string): ContextPiece {
  const { open, text, close } = fenced(json, 'json');
  return { type: 'item_metadata', origin: 'item', open: `## Item Metadata\n\n${open}`, text, close };
}

function errorsPiece(errors: GatheredContext['errors']): ContextPiece {
  const lines = errors.map(({ source, message }) => `- ${oneLine(source)}: ${oneLine(message)}`);
  return {
    type: 'errors',
    origin: 'context errors',
    open: '## Context Loading Errors\n\n',
    text: disarmMarkup(lines.join('\n')),
    close: '',
  };
}

function fenced(content: string, language: string): { open: string; text: string; close: string } {
  const text = disarmMarkup(content).replace(/\r?\n$/, '');
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = '`'.repeat(longest + 1);
  return { open: `${fence}${language}\n`, text, close: `\n${fence}` };
}
