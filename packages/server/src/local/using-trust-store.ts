import { TrustStoreError } from '@ambit/client/node';
import { Refusal } from '../errors/refusal.ts';

/** Does something with the record of trust. Rejects with `TRUST_STORE_UNUSABLE` if that cannot be read or written. */
export async function usingTrustStore<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof TrustStoreError)) throw error;
    throw new Refusal('TRUST_STORE_UNUSABLE', error.message, { cause: error });
  }
}
