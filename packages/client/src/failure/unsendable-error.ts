/** What was given cannot be sent; nothing was. The message says what to give instead, and repeats no secret. */
export class UnsendableError extends TypeError {
  override readonly name = 'UnsendableError';
}
