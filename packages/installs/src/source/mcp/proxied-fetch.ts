import type { FetchLike } from '@modelcontextprotocol/client';
import { InstallError } from '../../install-error.ts';
import type { SourceHttp } from '../source-http.ts';

/** A file of the largest skill in base64, and the message around it. */
const answerBytesMax = 24 * 1024 * 1024;

/**
 * `fetch` for an MCP client, through the egress proxy. `failure` is why a request was refused. `budget` is
 * for all answers together. Streams of messages from the
 * server are not opened.
 */
export function proxiedFetch(
  http: SourceHttp,
  budget: { bytes: number },
): { fetch: FetchLike; failure(): InstallError | undefined } {
  let failure: InstallError | undefined;
  return {
    failure: () => failure,
    async fetch(url, init = {}) {
      const request = new Request(url, init as RequestInit);
      if (request.method === 'GET') return new Response(null, { status: 405 });
      try {
        const bytesMax = Math.min(answerBytesMax, budget.bytes);
        const { status, headers, body } = await http.send(
          {
            method: request.method,
            url: request.url,
            headers: Object.fromEntries(request.headers),
            body: new Uint8Array(await request.arrayBuffer()),
          },
          bytesMax,
        );
        budget.bytes -= body.length;
        if (status === 401 || status === 403)
          throw new InstallError(
            'SOURCE_UNREACHABLE',
            `${request.url} needs a login; Ambit reads only public servers`,
          );
        const hasBody = ![204, 205, 304].includes(status);
        return new Response(hasBody ? Buffer.from(body) : null, { status, headers });
      } catch (error) {
        if (error instanceof InstallError) failure ??= error;
        throw error;
      }
    },
  };
}
