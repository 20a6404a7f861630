/**
 * The arguments cannot be sent, and nothing was sent. The message says what to pass instead, and
 * repeats no secret.
 */
export class UnsendableError extends TypeError {
  override readonly name = 'UnsendableError';
}
