import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { EgressConnection } from '@ambit/core/internal';
import {
  type EgressRequest,
  judgeRequest,
  type Origin,
  ruleText,
  specialAddress,
} from '@ambit/core/internal';
import type { CallParts } from '../call-parts.ts';
import { counted } from '../ledger.ts';
import { isAddress } from '../origin/checked-addresses.ts';
import { asProxyError, ProxyError } from '../refusal.ts';
import type { SecretsFor } from '../secrets/call-secrets.ts';
import { endToEnd, type HeaderList, headerList, valuesOf } from './headers.ts';

/** A request as it was parsed; another one is generated from it. */
export interface ExchangeRequest extends EgressRequest {
  headers: HeaderList;
  body: Readable | undefined;
}

/** What came back. Whoever takes it reads `body` to its end, or destroys it. */
export interface Answer {
  status: number;
  headers: [string, string][];
  body: Readable;
}

/** What makes a server take another method or path than the one that was judged. */
const overriding = [
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
];
/** Headers that the proxy itself writes. */
const written = ['host', 'content-length'];
/** What would hide values from the redactor: encodings, and pieces. */
const hiding = ['accept-encoding', 'range', 'if-range'];
/** Up to here a body is gathered, so that its length with the values in it can be said. */
const gatheredBytesMax = 1024 * 1024;
const headersMax = 200;

/**
 * Judges a request, and makes the one that it permits. Throws `GateRefusal` for what is not granted and `ProxyError` for what
 * fails, each noted in the call's ledger.
 */
export async function exchange(
  call: CallParts,
  asked: ExchangeRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const line = call.ledger.begin({
    host: asked.host,
    port: asked.port,
    method: asked.method,
    path: asked.target,
  });
  try {
    const { secrets } = await permitted(call, asked, line);
    return await forwarded(call, asked, secrets, line, signal);
  } catch (error) {
    const known = signal.aborted
      ? asProxyError(signal.reason, asked.host)
      : asProxyError(error, where(asked));
    call.ledger.refused(known, line);
    throw known;
  }
}

async function permitted(
  call: CallParts,
  asked: ExchangeRequest,
  line: EgressConnection,
): Promise<{ secrets: SecretsFor }> {
  const verdict = judgeRequest(call.network, call.deny, asked);
  if (verdict.rule !== undefined) line.rule = ruleText(verdict.rule);
  if (!verdict.permitted)
    throw call.refuse({ ...asked, remedy: verdict.remedy }, verdict.reason, verdict.rule);
  if (asked.headers.length > headersMax) {
    throw new ProxyError(431, `a request has at most ${headersMax} headers`);
  }
  if (valuesOf(asked.headers, 'upgrade').length > 0) {
    throw new ProxyError(
      501,
      'an upgrade of the protocol (WebSocket, HTTP/2) is not possible where requests are seen',
    );
  }
  if (asked.method === 'TRACE' || asked.method === 'CONNECT') {
    throw new ProxyError(405, `${asked.method} is not possible where requests are seen`);
  }
  const override =
    verdict.narrowed && asked.headers.find(([name]) => overriding.includes(name.toLowerCase()));
  if (override) {
    const remedy = `no grant does; leave the header ${override[0]} out`;
    throw call.refuse({ ...asked, remedy }, `is asked with ${override[0]}, which goes around rules`);
  }
  const addresses = await call.addressesOf(asked.host, asked.port);
  const stays = addresses.every((address) => specialAddress(address)?.kind === 'loopback address');
  return { secrets: call.secrets.for(asked, asked.scheme === 'https' || (stays && isAddress(asked.host))) };
}

async function forwarded(
  call: CallParts,
  asked: ExchangeRequest,
  secrets: SecretsFor,
  line: EgressConnection,
  signal: AbortSignal,
): Promise<Answer> {
  const target = secrets.target(asked.target);
  const headers = endToEnd(asked.headers, [...written, ...(call.redacts ? hiding : [])]).map(
    ([name, value]): [string, string] => [name, secrets.header(name.toLowerCase(), value)],
  );
  headers.unshift(['Host', hostHeader(asked)]);
  if (call.redacts) headers.push(['Accept-Encoding', 'identity']);
  call.ledger.spend(line, 'bytesUp', Buffer.byteLength(target) + sizeOf(headers));
  const body = await outgoingBody(call, asked, secrets, line, headers, signal);

  const request = send({
    agent: call.upstream.agentFor(asked),
    host: asked.host,
    method: asked.method,
    path: target,
    headers: headers.flat(),
    setHost: false,
    signal,
  });
  // The agent hands out a socket only once it is connected.
  request.once('socket', () => call.ledger.connected(asked, secrets.any ? secrets.placed : undefined));
  const failed = Promise.withResolvers<never>();
  request.on('error', failed.reject);
  // A protocol that nobody asked for, or a connection that ended instead of answering.
  request.on('close', () => failed.reject(new ProxyError(502, `${where(asked)} gave no answer`)));
  if (body === undefined) request.end();
  else if (Buffer.isBuffer(body)) request.end(body);
  else {
    pipeline([body.from, ...body.through, request], (error) => {
      if (!error) return;
      // The answer may have begun before the body was refused.
      call.ledger.refused(error, line);
      failed.reject(error);
    });
  }
  const [response] = (await Promise.race([once(request, 'response'), failed.promise])) as [IncomingMessage];
  failed.promise.catch(() => undefined);
  return answer(call, asked, response, line);
}

interface Streamed {
  from: Readable;
  through: Transform[];
}

/** Says the body's length in `headers`, as far as it is known, and gives what to send. */
async function outgoingBody(
  call: CallParts,
  { headers: sent, body }: ExchangeRequest,
  secrets: SecretsFor,
  line: EgressConnection,
  headers: [string, string][],
  signal: AbortSignal,
): Promise<Buffer | Streamed | undefined> {
  if (body === undefined) return undefined;
  const through = [
    counted(call.ledger, line, 'bytesUp'),
    secrets.body(valuesOf(sent, 'content-type')[0] ?? ''),
  ];
  const length = valuesOf(sent, 'content-length')[0];
  if (length !== undefined && Number(length) > call.limits.requestBytes) {
    throw new ProxyError(413, `a call sends at most ${call.limits.requestBytes} bytes`);
  }
  if (length !== undefined && secrets.any && Number(length) <= gatheredBytesMax) {
    const gathered = await buffer(piped({ from: body, through }, signal));
    headers.push(['Content-Length', String(gathered.length)]);
    return gathered;
  }
  // A placeholder that is not for there refuses the request, so without secrets the length stays.
  headers.push(
    length === undefined || secrets.any ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', length],
  );
  return { from: body, through };
}

function answer(
  call: CallParts,
  asked: ExchangeRequest,
  response: IncomingMessage,
  line: EgressConnection,
): Answer {
  const received = headerList(response.rawHeaders);
  const encodings = ['content-encoding', 'transfer-encoding'].flatMap((name) => valuesOf(received, name));
  if (call.redacts && encodings.some((encoding) => !/^(?:identity|chunked)?$/i.test(encoding.trim()))) {
    response.destroy();
    throw new ProxyError(502, `${where(asked)} answered in an encoding that secrets cannot be looked for in`);
  }
  call.ledger.spend(line, 'bytesDown', sizeOf(received));
  const through = [
    counted(call.ledger, line, 'bytesDown'),
    ...(call.redacts ? [call.redactor.stream()] : []),
  ];
  return {
    status: response.statusCode ?? 502,
    headers: endToEnd(received).map(([name, value]) => [
      call.redactor.header(name),
      call.redactor.header(value),
    ]),
    body: piped({ from: response, through }, undefined),
  };
}

function piped({ from, through }: Streamed, signal: AbortSignal | undefined): Readable {
  const last = through.at(-1) ?? from;
  const stop = (): void => void last.destroy(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  pipeline([from, ...through], () => signal?.removeEventListener('abort', stop));
  return last as Readable;
}

function sizeOf(headers: HeaderList): number {
  return headers.reduce((bytes, [name, value]) => bytes + name.length + value.length + 4, 0);
}

function hostHeader({ scheme, host, port }: Origin): string {
  return port === (scheme === 'http' ? 80 : 443) ? host : `${host}:${port}`;
}

function where({ host, port }: Origin): string {
  return `${host}:${port}`;
}
