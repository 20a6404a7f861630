import { Agent, request } from 'node:http';

/** A complete answer, or the first part of a stream. */
export interface Answered {
  status: number;
  type: string;
  text: string;
  isWhole: boolean;
}

/** The most that is read of a stream; finite answers are shorter. */
const charactersMax = 2 ** 20;
/** A stream is cut after this time. A finite answer may take longer. */
const silenceMs = 250;

/**
 * Sends a request unchanged over a reused connection. Resolves to `undefined` if the connection
 * broke before an answer, which is allowed if a body is refused while it is sent.
 */
export function sender(url: string): {
  send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer | undefined,
  ): Promise<Answered | undefined>;
  close(): void;
} {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(url);
  return {
    send: (method, path, headers, body) =>
      new Promise((resolve, reject) => {
        const sent = request(
          { agent, hostname, port, method, path, headers: framed(headers, body) },
          (answer) => {
            const { statusCode: status = 0, headers: got } = answer;
            const type = String(got['content-type'] ?? '').split(';', 1)[0] ?? '';
            let text = '';
            const done = (isWhole: boolean): void => {
              resolve({ status, type, text, isWhole });
              if (!isWhole) sent.destroy();
            };
            if (type === 'text/event-stream') setTimeout(() => done(false), silenceMs).unref();
            answer.setEncoding('utf8').on('data', (chunk: string) => {
              text += chunk;
              if (text.length > charactersMax) done(false);
            });
            answer.on('end', () => done(true)).on('error', () => done(false));
          },
        );
        sent.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(undefined);
          else reject(error);
        });
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

function framed(
  headers: Readonly<Record<string, string>>,
  body: string | Buffer | undefined,
): Record<string, string | number> {
  return body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
}
