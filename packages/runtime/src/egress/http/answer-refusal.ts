import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ProxyError, ProxyRefusal } from '../call/refusal.ts';

/** Sends an error to a program, with a message for its user. */
export function answerRefusal(response: ServerResponse, error: ProxyError): void {
  if (response.headersSent || response.destroyed) {
    // Aborted, so the client does not take a partial response for a complete one.
    response.destroy();
    return;
  }
  response.writeHead(error.status, refusalHeaders(error)).end(`${error.message}\n`);
}

/** Like `answerRefusal`, on a connection without a parser. Closes it. */
export function writeRefusal(connection: Duplex, error: ProxyError): void {
  const text = `${error.message}\n`;
  const head = Object.entries({
    ...refusalHeaders(error),
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n`;
  connection.end(`${status}${head.join('')}\r\n${text}`, () => connection.destroy());
}

function refusalHeaders(error: ProxyError): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'text/plain; charset=utf-8' };
  if (error instanceof ProxyRefusal)
    headers['x-ambit-denied'] = `${error.denial.capability} ${error.denial.requested}`;
  return headers;
}
