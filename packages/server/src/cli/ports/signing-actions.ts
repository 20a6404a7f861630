/** The actions of `ambit skills sign` and `ambit skills new-key`. Paths are absolute. Methods reject with `USAGE_INVALID`. */
export interface SigningActions {
  /** Writes the signature file of a skill with an Ed25519 key. Rejects with `SKILL_INVALID` for a skill that cannot be used. */
  sign(
    folder: string,
    keyFile: string,
  ): Promise<{ name: string; digest: string; keyId: string; file: string }>;
  /** The bytes that another signer signs as a file, as text. */
  statement(folder: string): Promise<string>;
  /** Creates an Ed25519 key in a new file that only its owner can read, and its public key beside it. */
  newKey(file: string): Promise<{ keyId: string; keyFile: string; publicKeyFile: string }>;
}
