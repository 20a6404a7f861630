import { SkillError } from '@ambit/core';
import { readSidecar } from '@ambit/core/skill';
import { quote, type ReportLine } from './imported.ts';

/** The version for a skill's sidecar. `undefined` for the empty string; for an invalid version too, with a line. */
export function acceptedVersion(version: string, about: string, lines: ReportLine[]): string | undefined {
  if (version === '') return undefined;
  try {
    return readSidecar(JSON.stringify({ version })).version;
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    lines.push({
      kind: 'changed',
      about,
      text: `has the version ${quote(version)}, which is not a version such as 1.2.0; it is stored as metadata`,
    });
    return undefined;
  }
}
