import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import { canonicalHost, type OriginVerdict } from '@ambit/core/egress';
import type { CallParts } from '../call/call-parts.ts';
import { countBytes, type LedgerLine } from '../call/ledger.ts';
import { writeRefusal } from '../http/answer-refusal.ts';
import { serveHttp } from '../http/serve-http.ts';
import type { Opening } from './client-hello.ts';

/** A permitted tunnel. */
export interface Tunnel {
  host: string;
  port: number;
  tls: OriginVerdict;
  plain: OriginVerdict;
  /** The upstream connection and its line in the record, if TLS passes through unopened. */
  through: { remote: Socket; line: LedgerLine } | undefined;
}

/** Fatal alerts (RFC 8446, section 6.2). */
const alerts = { decodeError: 50, accessDenied: 49, unrecognizedName: 112 } as const;

/**
 * Serves a tunnel by its first bytes. TLS to a host that is granted without restrictions and has no
 * secrets passes through unopened, if it names that host. Other TLS is terminated here. Plain HTTP
 * is served if a rule grants plain HTTP.
 */
export async function carry(
  call: CallParts,
  connection: Duplex,
  tunnel: Tunnel,
  opening: Exclude<Opening, { kind: 'incomplete' }>,
): Promise<void> {
  const { host, port } = tunnel;
  switch (opening.kind) {
    case 'malformed':
      return alert(connection, alerts.decodeError);
    case 'plain': {
      if (tunnel.plain.permitted)
        return serveHttp(call, connection, { tunnelTo: { host, port, scheme: 'http' } });
      const plain = { host, port, scheme: 'http' } as const;
      const refusal = call.refuse(plain, 'is granted to this skill only for TLS');
      record(call, tunnel, refusal);
      return writeRefusal(connection, refusal);
    }
    case 'hello': {
      const refusal = refusalOf(call, tunnel, opening);
      if (refusal !== undefined) {
        record(call, tunnel, refusal);
        return alert(connection, tunnel.tls.permitted ? alerts.unrecognizedName : alerts.accessDenied);
      }
      if (tunnel.through !== undefined) return await passThrough(call, connection, tunnel.through);
      return await endTls(call, connection, tunnel);
    }
    default:
      opening satisfies never;
  }
}

function refusalOf(
  call: CallParts,
  { host, port, tls }: Tunnel,
  { serverName, encrypted }: Extract<Opening, { kind: 'hello' }>,
): Error | undefined {
  if (!tls.permitted) return call.refuse({ host, port, scheme: 'https' }, tls.reason, tls.rule);
  if (encrypted)
    return call.refuse(
      { host, port, remedy: 'no grant allows this; disable ECH' },
      'is requested with an encrypted server name (ECH), which cannot be checked',
    );
  if (serverName === undefined || canonicalHost(serverName) === host) return undefined;
  const named = canonicalHost(serverName) ?? '(unreadable)';
  const remedy = `no grant allows this; open the tunnel to ${named}:${port}`;
  return call.refuse({ host: named, port, remedy }, `is named by TLS inside a tunnel to ${host}:${port}`);
}

function record(call: CallParts, { host, port, through }: Tunnel, refusal: Error): void {
  call.ledger.refused(refusal, through?.line ?? call.ledger.begin({ host, port, method: null, path: null }));
}

/**
 * A client reports, for example, "tlsv1 unrecognized name". The reason is in the call's denials.
 */
function alert(connection: Duplex, description: number): void {
  connection.end(Buffer.from([21, 3, 1, 0, 2, 2, description]), () => connection.destroy());
}

async function passThrough(
  call: CallParts,
  connection: Duplex,
  { remote, line }: { remote: Socket; line: LedgerLine },
): Promise<void> {
  call.ledger.connected(line, 'https');
  remote.setTimeout(call.limits.timeoutMs, () => remote.destroy());
  const up = pipeline(connection, countBytes(call.ledger, line, 'bytesUp'), remote);
  const down = pipeline(remote, countBytes(call.ledger, line, 'bytesDown'), connection);
  try {
    await Promise.all([up, down]);
  } catch {
    // One end has closed, or the call has used up its bytes, so the other end is closed too.
    remote.destroy();
    connection.destroy();
    await Promise.allSettled([up, down]);
  }
}

async function endTls(call: CallParts, connection: Duplex, { host, port }: Tunnel): Promise<void> {
  const secure = new TLSSocket(connection as Socket, {
    isServer: true,
    secureContext: await call.certify(host),
    // HTTP/2 would bypass the only parser.
    ALPNProtocols: ['http/1.1'],
  });
  secure.on('error', () => connection.destroy());
  connection.on('close', () => secure.destroy());
  serveHttp(call, secure, { tunnelTo: { host, port, scheme: 'https' } });
}
