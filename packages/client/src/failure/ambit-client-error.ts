/**
 * The error that a client throws: an `AmbitProblem` if the daemon refused, an `AmbitError` if there is no response, an
 * `UnsendableError` for arguments that cannot be sent. The message says what to do.
 */
export abstract class AmbitClientError extends Error {}
