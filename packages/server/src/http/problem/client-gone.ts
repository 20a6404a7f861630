/** Why work was given up whose answer nobody waits for. It is no refusal, and nobody is told of it. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
