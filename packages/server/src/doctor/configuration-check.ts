import type { Config } from '../config/config.ts';
import { type FoundSkills, skillWarnings } from '../config/skill-warnings.ts';
import { readReloadReport } from '../running-daemon/reload-report.ts';
import { editableFile, scopeText } from '../trust/scope-text.ts';
import { type DoctorCheck, configurationCheckName as name } from './doctor-report.ts';

/** Reports which configuration is in force and why, whether a running daemon refused it at its last reload, and whether it names missing skills. The configuration itself is valid. */
export async function configurationCheck(config: Config, skills: FoundSkills): Promise<DoctorCheck> {
  const { dataDir, clusterPolicy } = config;
  const read = scopeText(config);
  const found =
    clusterPolicy?.own == null ? read : `${read}; cluster policy, revision ${clusterPolicy.revision}`;
  const report = await readReloadReport(dataDir);
  if (report?.outcome !== 'refused') {
    const warnings = await skillWarnings(config, skills);
    if (warnings.length === 0) return { name, status: 'ok', found, meaning: 'it is valid' };
    return {
      name,
      status: 'limited',
      found: warnings.join('; '),
      meaning: 'the configuration is valid, but these entries have no effect',
      fix: `Correct them in ${editableFile(config)}`,
    };
  }
  return {
    name,
    status: 'limited',
    found: report.issues.join('; '),
    meaning: 'the daemon refused its configuration at the last reload and continues with the previous one',
    fix: 'Correct the file and run ambit config reload, or restart the daemon',
  };
}
