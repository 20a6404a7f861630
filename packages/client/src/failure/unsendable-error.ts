import { AmbitClientError } from './ambit-client-error.ts';

/**
 * The arguments cannot be sent, and nothing was sent. The message says what to pass instead, and
 * repeats no secret.
 */
export class UnsendableError extends AmbitClientError {
  override readonly name = 'UnsendableError';
}
