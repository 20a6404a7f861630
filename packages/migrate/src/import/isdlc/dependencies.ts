import { named, type ReportLine } from '../skill/imported.ts';

/** A skill of iSDLC that others can name as what they depend on. */
interface Dependent {
  /** iSDLC's id. */
  id: string;
  /** What the skill is called here. */
  name: string;
  /** iSDLC's ids. */
  dependencies: readonly string[];
}

/**
 * What each skill requires, by the names that skills have here. An id that nobody has is left out, and so is a dependency that
 * would close a circle: in a circle none could be selected.
 */
export function requirements(skills: readonly Dependent[], lines: ReportLine[]): Map<string, string[]> {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const required = new Map<string, string[]>(skills.map(({ name }) => [name, []]));
  for (const { id, name, dependencies } of skills) {
    for (const dependency of new Set(dependencies)) {
      const other = byId.get(dependency);
      const wrong = other === undefined ? 'and there is no such skill' : circle(name, other.name, required);
      if (other !== undefined && wrong === undefined) required.get(name)?.push(other.name);
      else
        lines.push({ kind: 'left-out', about: named(id), text: `depends on ${named(dependency)}, ${wrong}` });
    }
  }
  return required;
}

/** Whether `to` leads back to `from` already. */
function circle(
  from: string,
  to: string,
  required: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const seen = new Set([to]);
  // The set grows while it is walked, and the walk ends when nothing is new.
  for (const name of seen) for (const next of required.get(name) ?? []) seen.add(next);
  return seen.has(from) ? 'which depends on it in turn' : undefined;
}
