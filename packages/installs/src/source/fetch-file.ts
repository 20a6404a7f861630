import type { InstallNetwork } from './install-network.ts';
import { withSourceHttp } from './source-http.ts';

/** Fetches one file through the egress proxy. Rejects with an `InstallError`. */
export async function fetchFile(
  url: string,
  bytesMax: number,
  options: InstallNetwork & { signal: AbortSignal },
): Promise<Uint8Array> {
  return withSourceHttp(options, (http) => http.fetch(url, { bytesMax }));
}
