import { modelLine } from '../../model-text/model-text.ts';
import type { Selection } from '../../select/selection.ts';
import { meaningsOf, placesByIdAndName } from '../../skill/skill-id.ts';

/**
 * The value of `{{skills_metadata}}`, a variable of wreckit: JSON with the number of selected skills,
 * their ids, and the ids that they require. Empty if no skill is selected.
 */
export function skillsMetadata({ skills }: Selection): string {
  if (skills.length === 0) return '';
  const ids = skills.map(({ skill }) => skill.id);
  const places = placesByIdAndName(ids);
  const required = skills.flatMap(({ skill: { id, sidecar } }) =>
    Object.keys(sidecar.requires).map((reference) => {
      const meaning = meaningsOf(reference, id).find((each) => places.has(each));
      return meaning === undefined ? reference : (ids[places.get(meaning) as number] as string);
    }),
  );
  return JSON.stringify({
    count: ids.length,
    names: ids.map((id) => modelLine(id)),
    dependencies: [...new Set(required)].map((id) => modelLine(id)),
  });
}
