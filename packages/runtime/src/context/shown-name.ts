/** A name from a disk or a skill, on one line: what does not print is escaped, and it is cut at 200 characters. */
export function shownName(name: string): string {
  const cut = name.length > 200 ? `${name.slice(0, 199)}…` : name;
  return cut.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
