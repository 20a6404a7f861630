/** The ways that a run can end. A module without Zod: the thread that reads the log does not load it. */
export const outcomeStatuses = [
  'succeeded',
  'failed',
  'timed-out',
  'out-of-memory',
  'out-of-fuel',
  'output-too-large',
  'output-invalid',
  'capability-violated',
  'canceled',
  'interrupted',
] as const;

/** Every status of a record of the log, to filter by. */
export const recordOutcomes = [...outcomeStatuses, 'denied', 'running'] as const;

/** The values that a query can filter by: an outcome, or `unsuccessful`, every end of a run except success. */
export const outcomeFilters = [...recordOutcomes, 'unsuccessful'] as const;
