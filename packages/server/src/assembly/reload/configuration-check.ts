import { type DoctorCheck, configurationCheckName as name } from '../../cli/actions/doctor-report.ts';
import type { Config } from '../../config/config.ts';
import { readReloadReport } from './reload-report.ts';

/** Whether the daemon that may run has the configuration that is in its file; this one has been read without a mistake. */
export async function configurationCheck({ file, dataDir }: Config): Promise<DoctorCheck> {
  const found = file ?? 'no file: the defaults';
  const report = await readReloadReport(dataDir);
  if (report?.outcome !== 'refused') return { name, status: 'ok', found, meaning: 'it can be used' };
  return {
    ...{ name, status: 'limited', found: report.issues.join('; ') },
    meaning: 'the daemon was to read its configuration again, refused it, and goes on with the one before',
    fix: 'Correct the file and run "ambit config reload", or restart the daemon',
  };
}
