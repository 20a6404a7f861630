/** The key of `metadata` with the id that an earlier system gave a skill. */
export const aliasKey = 'skill-id';

const aliasForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The alias in the metadata of a `SKILL.md`. An invalid one is a warning. */
export function readAlias(metadata: Readonly<Record<string, string>>): {
  alias: string | undefined;
  warnings: string[];
} {
  const alias = Object.hasOwn(metadata, aliasKey) ? metadata[aliasKey] : undefined;
  if (alias === undefined || aliasForm.test(alias)) return { alias, warnings: [] };
  const warning = `metadata.${aliasKey} is ignored: it is not 1–64 letters, digits, dots, underscores and hyphens`;
  return { alias: undefined, warnings: [warning] };
}
