/**
 * The client disconnected, so its work was dropped. It is not a refusal, and no response is sent.
 */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
