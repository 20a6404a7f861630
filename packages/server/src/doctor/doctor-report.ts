/** The check that decides whether this machine can run process skills. */
export const processSandboxCheck = 'process sandbox';

/** The check that is `missing` when the configuration or the data directory is not trusted. */
export const configurationCheckName = 'configuration';

/** If one of these is missing, calls are refused and `ambit doctor` exits with 4. */
export const neededChecks: readonly string[] = [
  processSandboxCheck,
  'data directory',
  'disk',
  'keys',
  'daemon',
  'cluster',
  configurationCheckName,
];

/** One check of `ambit doctor`. */
export interface DoctorCheck {
  /** Unique in a report: `node`, `process sandbox`, … */
  name: string;
  /** `limited`: it works with reduced function. `trusted`: skills have the rights of a user. */
  status: 'ok' | 'limited' | 'missing' | 'trusted';
  /** The finding: a version, a path, an error. */
  found: string;
  /** The effect on skills, in one sentence. */
  meaning: string;
  /** The remedy; absent if nothing needs fixing. */
  fix?: string | undefined;
}

/** The isolation that this machine offers. One check is named `processSandboxCheck`. */
export interface DoctorReport {
  checks: readonly DoctorCheck[];
}
