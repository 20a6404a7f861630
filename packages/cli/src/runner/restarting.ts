import type { Fetch, FetchResponse } from '@ambit/client';
import { Refusal } from '@ambit/server/errors';
import type { DaemonAccess } from './daemon-access.ts';

/** The number of daemons that may end at the moment of one request, or right after they were found. */
export const attemptsMax = 3;

/** A `fetch` that finds the daemon again if it has ended or is ending, and sends the same request: nothing has run it. */
export function restarting(access: DaemonAccess, find: () => Promise<DaemonAccess>): Fetch {
  let send = access.fetch ?? fetch;
  return async (input, init) => {
    const isRepeatable = access.socketPath !== undefined && !(init?.body instanceof ReadableStream);
    for (let attempt = 1; isRepeatable && attempt < attemptsMax; attempt += 1) {
      const answer = await unlessEnded(send(input, init));
      if (answer !== undefined) return answer;
      const { fetch: again = fetch, socketPath } = await find();
      // The address and the key of the request are the socket's.
      if (socketPath === undefined) throw withoutSocket();
      send = again;
    }
    return send(input, init);
  };
}

/** The response of a daemon; `undefined` if it has ended, or is ending and has run nothing. */
async function unlessEnded(sending: Promise<FetchResponse>): Promise<FetchResponse | undefined> {
  const response = await sending.catch((error: unknown) => {
    if (isUnconnected(error)) return undefined;
    throw error;
  });
  if (response?.status !== 503) return response;
  const text = await response.text();
  return isShuttingDown(text) ? undefined : withBody(response, text);
}

function isShuttingDown(text: string): boolean {
  try {
    return (JSON.parse(text) as { code?: unknown } | null)?.code === 'SHUTTING_DOWN';
  } catch {
    return false;
  }
}

/** A response whose body was read, to be read again. */
function withBody({ ok, status, url, headers }: FetchResponse, text: string): FetchResponse {
  const body = new Blob([text]);
  return {
    ok,
    status,
    url,
    headers,
    body: body.stream(),
    arrayBuffer: () => body.arrayBuffer(),
    json: async () => JSON.parse(text),
    text: async () => text,
  };
}

function withoutSocket(): Refusal {
  return new Refusal(
    'DAEMON_UNREACHABLE',
    'the daemon has ended, and the one that runs now has no private socket. Nothing was sent to it. Run the command again',
  );
}

const withoutListener: readonly unknown[] = ['ENOENT', 'ECONNREFUSED'];

function isUnconnected(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return withoutListener.includes(cause?.code);
}
