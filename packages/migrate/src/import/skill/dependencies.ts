import { quote, type ReportLine } from './imported.ts';

/** A skill of the source, with its dependencies. */
interface Dependent {
  /** The source's id. */
  id: string;
  /** The skill's name in Ambit. */
  name: string;
  /** The source's ids. */
  dependencies: readonly string[];
}

/**
 * Returns the requirements of each skill, by the names of skills in Ambit. Unknown ids are left out, and so is a
 * dependency that would close a cycle: no skill of a cycle could be selected.
 */
export function requirements(skills: readonly Dependent[], lines: ReportLine[]): Map<string, string[]> {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const required = new Map<string, string[]>(skills.map(({ name }) => [name, []]));
  for (const { id, name, dependencies } of skills) {
    for (const dependency of new Set(dependencies)) {
      const other = byId.get(dependency);
      const wrong = other === undefined ? 'which does not exist' : circle(name, other.name, required);
      if (other !== undefined && wrong === undefined) required.get(name)?.push(other.name);
      else
        lines.push({ kind: 'left-out', about: quote(id), text: `depends on ${quote(dependency)}, ${wrong}` });
    }
  }
  return required;
}

/** Returns why `from` cannot depend on `to`: `to` already depends on `from`. `undefined` if it does not. */
function circle(
  from: string,
  to: string,
  required: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const seen = new Set([to]);
  // The set grows during the loop, which ends when it adds nothing new.
  for (const name of seen) for (const next of required.get(name) ?? []) seen.add(next);
  return seen.has(from) ? 'which would make a cycle' : undefined;
}
