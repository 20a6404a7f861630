/** A merge that failed. The message says what happened, why, and what to do. */
export class MergeError extends Error {
  override readonly name = 'MergeError';
}
