import { createHash } from 'node:crypto';
import { placeOf, type TrustRecord, TrustStoreError, trustStore } from '@ambit/client/node';

/**
 * Says why Ambit must not use a found configuration; `undefined` if the user trusts exactly these bytes at this path. Parse the
 * same bytes afterwards, because the file may change.
 */
export async function whyConfigUntrusted(
  dataHome: string | undefined,
  path: string,
  content: Uint8Array,
): Promise<string | undefined> {
  try {
    const record = await recordOf(dataHome, path);
    if (record === undefined)
      return 'a configuration can run commands as you, and it decides what skills may do';
    if (record.digests['content'] === contentDigest(content)) return undefined;
    return `it changed after you trusted it at ${record.trustedAt}`;
  } catch (error) {
    if (error instanceof TrustStoreError) return error.message;
    throw error;
  }
}

/** Records that the user trusts these bytes at this path. Rejects with a `TrustStoreError`. */
export async function trustConfig(
  dataHome: string | undefined,
  path: string,
  content: Uint8Array,
  now: number,
): Promise<void> {
  await trustStore(dataHome).put({
    kind: 'configuration',
    path: await placeOf(path),
    digests: { content: contentDigest(content) },
    trustedAt: new Date(now).toISOString(),
  });
}

/** SHA-256 in hex. */
export function contentDigest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

async function recordOf(dataHome: string | undefined, path: string): Promise<TrustRecord | undefined> {
  return trustStore(dataHome).find('configuration', await placeOf(path));
}
