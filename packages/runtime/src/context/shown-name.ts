/**
 * A name from a disk or a skill, on one line of at most 200 characters. Unprintable characters are
 * escaped.
 */
export function shownName(name: string): string {
  const cut = name.length > 200 ? `${name.slice(0, 199)}…` : name;
  return cut.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
