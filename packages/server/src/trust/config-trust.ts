import { createHash } from 'node:crypto';
import { placeOf, type TrustRecord, TrustStoreError, trustStore } from '@ambit/client/node';

/** The record of a configuration that the user trusted at this place, whatever it says now. Never rejects. */
export async function trustedBefore(dataHome: string | undefined, path: string): Promise<boolean> {
  return recordOf(dataHome, path).then(
    (record) => record !== undefined,
    () => false,
  );
}

/**
 * Why a configuration that nobody named does not count; `undefined` when the user trusted just these bytes at this place.
 * They are what is parsed afterwards, so that nobody can put others in between.
 */
export async function whyConfigUntrusted(
  dataHome: string | undefined,
  path: string,
  content: Uint8Array,
): Promise<string | undefined> {
  try {
    const record = await recordOf(dataHome, path);
    if (record === undefined)
      return 'a configuration names commands that run as you, and decides what skills may do';
    if (record.digests['content'] === contentDigest(content)) return undefined;
    return `it has changed since you trusted it at ${record.trustedAt}`;
  } catch (error) {
    if (error instanceof TrustStoreError) return error.message;
    throw error;
  }
}

/** Records that these bytes count at this place. Rejects with a `TrustStoreError`. */
export async function trustConfig(
  dataHome: string | undefined,
  path: string,
  content: Uint8Array,
  now: number,
): Promise<void> {
  await trustStore(dataHome).put({
    ...{ kind: 'configuration', path: await placeOf(path) },
    ...{ digests: { content: contentDigest(content) }, trustedAt: new Date(now).toISOString() },
  });
}

/** SHA-256 in hex. */
export function contentDigest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

async function recordOf(dataHome: string | undefined, path: string): Promise<TrustRecord | undefined> {
  return trustStore(dataHome).find('configuration', await placeOf(path));
}
