/**
 * What to say of a database that a version which was never released has written: the predicate of a sentence, and how to
 * start anew.
 */
export const developmentSchema =
  'was written by a development version of Ambit; to start anew, export the log with that version (ambit audit backup FILE), then use a new data directory, and with store.postgres a new database';
