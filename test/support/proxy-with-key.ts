import { type RequestListener, request } from 'node:http';
import type { Daemon } from './daemon-process.ts';

/** Passes each request on to a daemon with its key, and the answer back. */
export function proxyWithKey({ url, key }: Pick<Daemon, 'url' | 'key'>): RequestListener {
  return (given, answer) => {
    const options = {
      method: given.method ?? 'GET',
      headers: { ...given.headers, authorization: `Bearer ${key}` },
    };
    const sent = request(new URL(given.url ?? '/', url), options, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    answer.once('close', () => sent.destroy());
    sent.once('error', () => answer.destroy());
    given.pipe(sent);
  };
}
