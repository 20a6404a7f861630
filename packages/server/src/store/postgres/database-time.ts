import type { Statement } from '../statement.ts';

/** The time of the database in milliseconds since the epoch: the clocks of nodes may differ. */
export const now: Statement = {
  parts: ['CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)'],
  values: [],
};
