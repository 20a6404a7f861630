/** The check that decides whether this machine can do what Ambit is for. */
export const processSandboxCheck = 'process sandbox';

/** The check that is `missing` when the configuration or the data directory is not trusted. */
export const configurationCheckName = 'configuration';

/** Checks without which calls are refused; where one is missing, `ambit doctor` ends with 4. */
export const neededChecks: readonly string[] = [
  processSandboxCheck,
  'data directory',
  'disk',
  'keys',
  'daemon',
  configurationCheckName,
];

/** One thing that `ambit doctor` looked at. */
export interface DoctorCheck {
  /** `node`, `process sandbox`, …: unique in a report. */
  name: string;
  /** `limited`: it works, with less than it could have. */
  status: 'ok' | 'limited' | 'missing';
  /** What is there: a version, a path, an error. */
  found: string;
  /** What that means for skills, in one sentence. */
  meaning: string;
  /** What to do about it; absent when there is nothing to do. */
  fix?: string | undefined;
}

/** What this machine can and cannot isolate. One check is called `processSandboxCheck`. */
export interface DoctorReport {
  checks: readonly DoctorCheck[];
}
