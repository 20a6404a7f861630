import type { AuditEvent, AuditPage, AuditStats, CallRecord } from '@ambit/core';
import type { AuditSource } from './actions.ts';
import { type DaemonAccess, refusal, unreachable } from './daemon-client.ts';

/** What the HTTP API gives at once. */
const pageMost = 200;

/** Asks a daemon for its log. Refusals come back as the errors that they were there. */
export function daemonAudit({ url, key, fetch: call = fetch }: DaemonAccess): AuditSource {
  const get = async (path: string, query: object, signal?: AbortSignal): Promise<Response> => {
    const address = `${url}/audit${path}?${parameters(query)}`;
    try {
      const response = await call(address, {
        headers: { authorization: `Bearer ${key}` },
        signal: signal ?? null,
      });
      if (response.ok) return response;
      throw refusal(url, response.status, (await response.json()) as Record<string, unknown>);
    } catch (error) {
      // What `fetch` throws when nobody answers.
      throw error instanceof TypeError || error instanceof SyntaxError ? unreachable(url, error) : error;
    }
  };
  const json = async <Answer>(path: string, query: object): Promise<Answer> =>
    (await get(path, query)).json() as Promise<Answer>;

  return {
    async query({ limit, ...query }) {
      const records: CallRecord[] = [];
      for (let next: number | undefined = query.before; ; ) {
        const asked = {
          ...query,
          ...(next && { before: next }),
          limit: Math.min(pageMost, limit - records.length),
        };
        const page: AuditPage = await json('', asked);
        records.push(...page.records);
        if (page.next === null || page.partial || records.length >= limit) return { ...page, records };
        next = page.next;
      }
    },
    count: async (filter) => (await json<{ count: number }>('/count', filter)).count,
    stats: (query) => json<AuditStats>('/stats', query),
    async *export(filter) {
      const response = await get('/export', { ...filter, format: 'ndjson' });
      for await (const line of lines(url, response)) yield JSON.parse(line) as CallRecord;
    },
    async *follow(signal) {
      try {
        for await (const line of lines(url, await get('/follow', {}, signal))) {
          if (line.startsWith('data: '))
            yield JSON.parse(line.slice('data: '.length)) as { sequence: number; event: AuditEvent };
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    async close() {
      // Every question has its own connection, which `fetch` keeps.
    },
  };
}

function parameters(query: object): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
}

/** The lines of a body as they come. Throws `DAEMON_UNREACHABLE` when it breaks off. */
async function* lines(url: string, { body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body ?? []) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      yield* parts.filter((line) => line !== '');
    }
  } catch (error) {
    throw unreachable(url, error);
  }
}
