import type { SkillDetail } from '@ambit/client';

/** Says who is not offered a skill, by its `SKILL.md`, and who still starts it. */
export function hiddenText(hiddenFrom: NonNullable<SkillDetail['hiddenFrom']>): string {
  return hiddenFrom
    .map((who) =>
      who === 'models' ? 'hidden from models: only people start it' : 'hidden from the menus of people',
    )
    .join('; ');
}
