import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type EgressRequest, judgeRequest, type Origin, ruleText, specialAddress } from '@ambit/core/egress';
import type { SecretRedactor, StreamRedactor } from '../../secrets/secret-redactor.ts';
import type { CallParts } from '../call/call-parts.ts';
import type { SecretsFor } from '../call/call-secrets.ts';
import { isAddress } from '../call/checked-addresses.ts';
import { countBytes, type LedgerLine } from '../call/ledger.ts';
import { asProxyError, ProxyError } from '../call/refusal.ts';
import { endToEnd, type HeaderList, headerList, valuesOf } from './headers.ts';

/** A parsed request. A new one is generated from it. */
export interface ExchangeRequest extends EgressRequest {
  headers: HeaderList;
  body: Readable | undefined;
}

/** A response. The caller reads `body` to its end or destroys it. */
export interface Answer {
  status: number;
  headers: [string, string][];
  body: Readable;
}

/** Headers that make a server use another method or path than the one checked. */
const overrideHeaders = [
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
];
/** Headers that the proxy writes itself. */
const written = ['host', 'content-length'];
/** Headers that would hide values from redaction: encodings and ranges. */
const encodingHeaders = ['accept-encoding', 'range', 'if-range'];
/** Bodies up to this size are buffered, so their length with the inserted secrets is known. */
const gatheredBytesMax = 1024 * 1024;
const headersMax = 200;

/**
 * Checks a request and forwards it if it is permitted. Throws `ProxyRefusal` if it is not granted
 * and `ProxyError` if it fails, and records either in the call's ledger.
 */
export async function exchange(
  call: CallParts,
  incoming: ExchangeRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const line = call.ledger.begin({
    host: incoming.host,
    port: incoming.port,
    method: incoming.method,
    path: incoming.target,
  });
  try {
    const { secrets } = await permitted(call, incoming, line);
    return await forward(call, incoming, secrets, line, signal);
  } catch (error) {
    const known = signal.aborted
      ? asProxyError(signal.reason, incoming.host)
      : asProxyError(error, where(incoming));
    call.ledger.refused(known, line);
    throw known;
  }
}

async function permitted(
  call: CallParts,
  incoming: ExchangeRequest,
  line: LedgerLine,
): Promise<{ secrets: SecretsFor }> {
  const verdict = judgeRequest(call.network, call.deny, incoming);
  if (verdict.rule !== undefined) line.rule = ruleText(verdict.rule);
  if (!verdict.permitted)
    throw call.refuse({ ...incoming, remedy: verdict.remedy }, verdict.reason, verdict.rule);
  if (incoming.headers.length > headersMax) {
    throw new ProxyError(431, `too many headers: a request may have ${headersMax}`);
  }
  if (valuesOf(incoming.headers, 'upgrade').length > 0) {
    throw new ProxyError(
      501,
      'protocol upgrades (WebSocket, HTTP/2) are not supported where the proxy inspects requests',
    );
  }
  if (incoming.method === 'TRACE' || incoming.method === 'CONNECT') {
    throw new ProxyError(405, `${incoming.method} is not supported where the proxy inspects requests`);
  }
  const override =
    verdict.narrowed && incoming.headers.find(([name]) => overrideHeaders.includes(name.toLowerCase()));
  if (override) {
    const remedy = `no grant allows this; omit the header ${override[0]}`;
    throw call.refuse({ ...incoming, remedy }, `is requested with ${override[0]}, which bypasses rules`);
  }
  const addresses = await call.addressesOf(incoming.host, incoming.port);
  const stays = addresses.every((address) => specialAddress(address)?.kind === 'loopback address');
  return {
    secrets: call.secrets.for(incoming, incoming.scheme === 'https' || (stays && isAddress(incoming.host))),
  };
}

async function forward(
  call: CallParts,
  incoming: ExchangeRequest,
  secrets: SecretsFor,
  line: LedgerLine,
  signal: AbortSignal,
): Promise<Answer> {
  const target = secrets.target(incoming.target);
  const mayReturnSecrets = secrets.any || call.secrets.receivedBy(incoming.host).size > 0;
  const headers = endToEnd(incoming.headers, [...written, ...(mayReturnSecrets ? encodingHeaders : [])]).map(
    ([name, value]): [string, string] => [name, secrets.header(name.toLowerCase(), value)],
  );
  headers.unshift(['Host', hostHeader(incoming)]);
  if (mayReturnSecrets) headers.push(['Accept-Encoding', 'identity']);
  call.ledger.spend(line, 'bytesUp', Buffer.byteLength(target) + sizeOf(headers));
  const body = await outgoingBody(call, incoming, secrets, line, headers, signal);

  const request = send({
    agent: call.upstream.agentFor(incoming),
    host: incoming.host,
    method: incoming.method,
    path: target,
    headers: headers.flat(),
    setHost: false,
    signal,
  });
  // The agent provides a socket only once it is connected.
  request.once('socket', () =>
    call.ledger.connected(line, incoming.scheme, secrets.any ? secrets.placed : undefined),
  );
  const failed = Promise.withResolvers<never>();
  request.on('error', failed.reject);
  // An unexpected protocol, or a connection that ended without a response.
  request.on('close', () => failed.reject(new ProxyError(502, `${where(incoming)} sent no response`)));
  if (body === undefined) request.end();
  else if (Buffer.isBuffer(body)) request.end(body);
  else {
    pipeline([body.from, ...body.through, request], (error) => {
      if (!error) return;
      // The response may have begun before the body was refused.
      call.ledger.refused(error, line);
      failed.reject(error);
    });
  }
  const [response] = (await Promise.race([once(request, 'response'), failed.promise])) as [IncomingMessage];
  failed.promise.catch(() => undefined);
  return answer(call, incoming, response, line, mayReturnSecrets);
}

interface BodyStream {
  from: Readable;
  through: Transform[];
}

/** Adds the body's length to `headers` if it is known, and returns the body to send. */
async function outgoingBody(
  call: CallParts,
  { headers: sent, body }: ExchangeRequest,
  secrets: SecretsFor,
  line: LedgerLine,
  headers: [string, string][],
  signal: AbortSignal,
): Promise<Buffer | BodyStream | undefined> {
  if (body === undefined) return undefined;
  const through = [
    countBytes(call.ledger, line, 'bytesUp'),
    secrets.body(valuesOf(sent, 'content-type')[0] ?? ''),
  ];
  const length = valuesOf(sent, 'content-length')[0];
  if (length !== undefined && Number(length) > call.limits.requestBytes) {
    throw new ProxyError(413, `request too large: a call may send ${call.limits.requestBytes} bytes`);
  }
  if (length !== undefined && secrets.any && Number(length) <= gatheredBytesMax) {
    const gathered = await buffer(piped({ from: body, through }, signal));
    headers.push(['Content-Length', String(gathered.length)]);
    return gathered;
  }
  // A placeholder for another host refuses the request, so the length is unchanged if there are no
  // secrets.
  headers.push(
    length === undefined || secrets.any ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', length],
  );
  return { from: body, through };
}

/**
 * Only the secrets that the host has received in this call are redacted in its answer. A host that merely returns what it
 * was sent must not tell a skill whether a guess was right.
 */
function answer(
  call: CallParts,
  incoming: ExchangeRequest,
  response: IncomingMessage,
  line: LedgerLine,
  mayReturnSecrets: boolean,
): Answer {
  const received = headerList(response.rawHeaders);
  const encodings = ['content-encoding', 'transfer-encoding'].flatMap((name) => valuesOf(received, name));
  if (mayReturnSecrets && encodings.some((encoding) => !/^(?:identity|chunked)?$/i.test(encoding.trim()))) {
    response.destroy();
    throw new ProxyError(
      502,
      `${where(incoming)} responded in an encoding in which secrets cannot be redacted`,
    );
  }
  call.ledger.spend(line, 'bytesDown', sizeOf(received));
  line.status = response.statusCode ?? 502;
  const redactor = call.redaction.ofAnswer(call.secrets.receivedBy(incoming.host));
  const through = [countBytes(call.ledger, line, 'bytesDown'), redactedAnswer(call, incoming.host)];
  return {
    status: line.status,
    headers: endToEnd(received).map(([name, value]) => [
      redactor?.header(name) ?? name,
      redactor?.header(value) ?? value,
    ]),
    body: piped({ from: response, through }, undefined, () => call.ledger.ended(line)),
  };
}

/** A request's body may still be sent while its answer arrives, so the host may receive a secret at any chunk. */
function redactedAnswer({ secrets, redaction }: CallParts, host: string): Transform {
  let redactor: SecretRedactor | undefined;
  let pieces: StreamRedactor | undefined;
  // The bytes that `pieces` has taken and not emitted, unchanged.
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const current = redaction.ofAnswer(secrets.receivedBy(host));
      if (current === undefined) return done(null, chunk);
      const unshown = Buffer.concat([held, chunk]);
      let fresh = chunk;
      if (pieces === undefined || current !== redactor) {
        // The bytes that the previous redactor holds back may be the beginning of a secret.
        [redactor, pieces, fresh] = [current, current.pieces(), unshown];
      }
      const shown = pieces.take(fresh);
      // Redaction changes no lengths.
      held = unshown.subarray(shown.length);
      done(null, shown);
    },
    flush(done) {
      done(null, pieces?.rest());
    },
  });
}

function piped({ from, through }: BodyStream, signal: AbortSignal | undefined, onEnd?: () => void): Readable {
  const last = through.at(-1) ?? from;
  const stop = (): void => void last.destroy(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  pipeline([from, ...through], () => {
    signal?.removeEventListener('abort', stop);
    onEnd?.();
  });
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
