import { type Capabilities, noCapabilities } from '../capability/capabilities.ts';
import { type Item, items } from '../capability/items.ts';
import { judgeItem, onlyTrusted } from '../grant/judge-item.ts';
import type { Policy } from '../grant/policy.ts';
import { declaredRuns, type Skill } from '../skill/skill.ts';
import { type HostPlaces, whatItOpens } from './what-it-opens.ts';

/**
 * Warns about items that a policy grants to a skill, one sentence each: why calls do not get an item anyway, and what an item
 * opens beyond its text.
 */
export function grantNotes(
  policy: Policy,
  skill: Skill,
  granted: Capabilities,
  places: HostPlaces,
): string[] {
  return items(granted).flatMap((item) => {
    const notes = [
      withoutEffect(policy, skill, item),
      absent(item, places),
      whatItOpens(item, places).warning,
    ];
    return notes.filter((note) => note != null).map((note) => `${item.kind} ${item.text} ${note}`);
  });
}

function withoutEffect(policy: Policy, skill: Skill, item: Item): string | undefined {
  const verdict = judgeItem(policy, skill, policy.grants.get(skill.id) ?? noCapabilities, item);
  if (verdict !== undefined) return `${verdict.reason}, so calls of ${skill.id} do not get it`;
  const runs = declaredRuns(skill);
  if (runs.length === 0) return skill.tier === 'untrusted' ? onlyTrusted : undefined;
  const isRequested = runs
    .flatMap(({ run }) => items(run.capabilities))
    .some((asked) => asked.kind === item.kind && (asked.text === 'granted' || overlap(asked, item)));
  return isRequested ? undefined : `is not requested by ${skill.id}, so its calls do not get it`;
}

/** A request can be within the grant, or around it. */
function overlap(one: Item, other: Item): boolean {
  return one.covers(other) || other.covers(one);
}

function absent({ text }: Item, { exists }: HostPlaces): string | undefined {
  return text.startsWith('/') && exists?.(text) === false
    ? 'does not exist: calls are refused until it does'
    : undefined;
}
