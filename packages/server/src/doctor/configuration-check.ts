import { type DoctorCheck, configurationCheckName as name } from '../cli/ports/doctor-report.ts';
import type { Config } from '../config/config.ts';
import { readReloadReport } from '../daemon/reload/reload-report.ts';

/** Whether a running daemon refused the configuration at its last reload. The configuration itself is valid. */
export async function configurationCheck({ file, dataDir }: Config): Promise<DoctorCheck> {
  const found = file ?? 'no file; defaults are used';
  const report = await readReloadReport(dataDir);
  if (report?.outcome !== 'refused') return { name, status: 'ok', found, meaning: 'it is valid' };
  return {
    ...{ name, status: 'limited', found: report.issues.join('; ') },
    meaning: 'the daemon refused its configuration at the last reload and continues with the previous one',
    fix: 'Correct the file and run ambit config reload, or restart the daemon',
  };
}
