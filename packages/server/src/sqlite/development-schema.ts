/** The end of the error for a database of a development version, whose subject is the database. */
export const developmentSchema =
  'was written by a development version of Ambit; to start anew, export the log with that version (ambit audit backup FILE), then use a new data directory, and with store.postgres a new database';
