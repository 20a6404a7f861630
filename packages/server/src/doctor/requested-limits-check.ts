import type { Skill } from '@ambit/core';
import type { Config } from '../config/config.ts';
import { limitWarnings } from '../config/skill-warnings.ts';
import { policyOf } from '../setup/skill-service.ts';
import type { DoctorCheck } from './doctor-report.ts';

/** The limits that skills ask for and do not get; no check if there are none. */
export function requestedLimitsCheck(config: Config, skills: readonly Skill[]): DoctorCheck[] {
  const warnings = limitWarnings(policyOf(config), skills);
  if (warnings.length === 0) return [];
  return [
    {
      name: 'limits of skills',
      status: 'limited',
      found: warnings.join('; '),
      meaning: 'calls of these skills run with less than they ask for',
      fix: 'Add the lines above, if the skills need it',
    },
  ];
}
