import { egress } from '@ambit/runtime';
import type { Config } from '../../config/config.ts';
import { DenyListError } from './deny-list.ts';

/** Fetches a deny list through the egress proxy, by `installs.network`. Rejects with a `DenyListError`. */
export async function fetchDenyList(
  { installs, deny }: Pick<Config, 'installs' | 'deny'>,
  url: string,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { fetchFile, InstallError } = await import('@ambit/installs');
  const proxy = egress(async (name) => Promise.reject(new Error(`no secret ${name} for installs`)));
  try {
    return await fetchFile(url, bytesMax, {
      ...{ egress: proxy, network: installs.network, deny: deny.network, signal },
    });
  } catch (cause) {
    if (!(cause instanceof InstallError)) throw cause;
    throw new DenyListError(`cannot be fetched: ${cause.code}: ${cause.message}`, {
      cause,
      isRefused: false,
    });
  } finally {
    await proxy.close();
  }
}
