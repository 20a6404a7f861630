import type { Skill } from '@ambit/core';
import { aliasWarnings } from '../config/skill-warnings.ts';
import type { DoctorCheck } from './doctor-report.ts';

/** The aliases that are ignored; no check if there are none. */
export function aliasesCheck(skills: readonly Skill[]): DoctorCheck[] {
  const warnings = aliasWarnings(skills);
  if (warnings.length === 0) return [];
  return [
    {
      name: 'aliases',
      status: 'limited',
      found: warnings.join('; '),
      meaning: 'these aliases mean nothing; the names of the skills work',
      fix: 'Change or remove metadata.skill-id in the SKILL.md of the skill',
    },
  ];
}
