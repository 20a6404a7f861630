import { emptySidecar, type Sidecar, skillFileOf } from '@ambit/core/skill';
import type { ReportLine } from '../import/skill/imported.ts';
import type { ExportSkill } from './exported.ts';

/** The parts of a skill that a format can store besides its name and description. */
export interface FormatFields {
  format: string;
  sidecar: readonly (keyof Sidecar)[];
  manifest: readonly ('license' | 'compatibility' | 'allowedTools')[];
}

/** One line for each property of a skill that a format cannot store. */
export function losses({ skill }: ExportSkill, { format, sidecar, manifest }: FormatFields): ReportLine[] {
  const keys = (Object.keys(emptySidecar) as (keyof Sidecar)[]).concat('version', 'tools', 'run', 'cwd');
  const lost = [...new Set(keys)]
    .filter((key) => !sidecar.includes(key))
    .filter((key) => JSON.stringify(skill.sidecar[key]) !== JSON.stringify(emptySidecar[key]));
  const fields = (['license', 'compatibility', 'allowedTools'] as const)
    .filter((key) => !manifest.includes(key))
    .filter((key) => (skill.manifest[key] ?? '').length > 0)
    .map((key) => (key === 'allowedTools' ? 'allowed-tools' : key));
  const files = skill.files.filter(({ path }) => path !== skillFileOf(skill) && path !== 'ambit.yaml').length;
  const all = [
    ...lost.map((key) => (key === 'namedRuns' ? 'run.scripts' : key === 'cwd' ? 'run.cwd' : key)),
    ...fields,
    ...(files === 0 ? [] : [files === 1 ? 'another file' : `${files} other files`]),
  ];
  return all.map((what) => ({
    kind: 'left-out',
    about: skill.id,
    text: `has ${what}, which ${format} cannot store`,
  }));
}
