import { lazy } from '../lazy.ts';

/**
 * A text as a person sees it, without characters that are invisible on screen but read by models:
 * zero-width characters, soft hyphens, bidirectional controls, tag characters, variation selectors,
 * fillers and control characters (Unicode's Default_Ignorable_Code_Point and Cc, except tab, line
 * feed and carriage return).
 *
 * Keeps what writing systems need: joiners after a letter of a joining or Indic script,
 * joiners and variation selectors in emoji, the flags of England, Scotland and Wales, Mongolian
 * variation selectors. Each is kept only once and only right after its visible character, so that
 * they cannot carry a hidden message.
 */
export function visibleText(text: string): string {
  // Fast path: most text is plain ASCII.
  if (/^[\t\n\r\x20-\x7E]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[\v\f\x85]/g, '\n')
    .replace(hidden(), (_found, kept: string | undefined) => kept ?? '');
}

/** The same, with U+FFFD in place of each hidden character, so that a reader notices it. */
export function markHidden(text: string): string {
  if (/^[\t\n\r\x20-\x7E]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .replace(hidden(), (found, kept: string | undefined) => kept ?? '\uFFFD'.repeat([...found].length));
}

/** The number of hidden characters in a text. */
export function hiddenCharacters(text: string): number {
  return text.length - visibleText(text).length;
}

/** The runs of hidden characters, in order. */
export function* hiddenRuns(text: string): Generator<{ index: number; text: string }> {
  if (/^[\t\n\r\x20-\x7E]*$/.test(text)) return;
  for (const { index, 0: found, 1: kept } of text.matchAll(hidden()))
    if (kept === undefined) yield { index, text: found };
}

const joiningScripts = [
  'Arabic', 'Syriac', 'Mongolian', 'Nko', 'Mandaic', 'Manichaean', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati',
  'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar',
]; // biome-ignore format: one a line would be a page

/**
 * The characters that turn a black flag into one of the three flags in Unicode's list of emoji tag
 * sequences.
 */
const flags = ['gbeng', 'gbsct', 'gbwls'].map(
  (region) =>
    `${Array.from(region, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')}\u{E007F}`,
);

const legitimate = [
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}])[\uFE0E\uFE0F]`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  String.raw`(?<=[[${joiningScripts.map((name) => `\\p{scx=${name}}`).join('')}]&&[\p{L}\p{M}]&&\P{DI}])[\u200C\u200D]`,
  String.raw`(?<=[\p{Script=Mongolian}&&\p{L}])[\u180B-\u180F]`,
  String.raw`(?<=\u{1F3F4})(?:${flags.join('|')})`,
];

/** Compiled when it is first needed, because that takes milliseconds. */
const hidden = lazy(
  () => new RegExp(String.raw`(${legitimate.join('|')})|[[\p{DI}\p{Cc}\uFFF9-\uFFFB]--[\t\n\r]]+`, 'gv'),
);
