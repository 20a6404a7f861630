import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { judgeOrigin, readAuthority, ruleText } from '@ambit/core/egress';
import type { CallParts } from '../call/call-parts.ts';
import { asProxyError, ProxyError } from '../call/refusal.ts';
import { writeRefusal } from '../http/answer-refusal.ts';
import { deadline } from '../http/deadline.ts';
import { connectionIdleMs } from '../http/serve-http.ts';
import type { Tunnel } from './carry.ts';
import { carry } from './carry.ts';
import { peekOpening } from './peek.ts';

/**
 * Answers `CONNECT target` and serves the tunnel if it is permitted. `head` is what followed the
 * request immediately.
 */
export async function openTunnel(
  call: CallParts,
  target: string,
  connection: Duplex,
  head: Buffer,
): Promise<void> {
  connection.on('error', () => connection.destroy());
  let tunnel: Tunnel;
  try {
    tunnel = await permittedTunnel(call, target);
  } catch (error) {
    writeRefusal(connection, asProxyError(error, target));
    return;
  }
  const { through } = tunnel;
  const end = (): void => {
    if (through === undefined) return;
    through.remote.destroy();
    call.ledger.ended(through.line);
  };
  connection.on('close', end);
  through?.remote.on('error', () => connection.destroy());
  if (connection.destroyed) return end();
  connection.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) connection.unshift(head);
  const opening = await peekOpening(connection, connectionIdleMs);
  if (opening === undefined) connection.destroy();
  else await carry(call, connection, tunnel, opening);
}

async function permittedTunnel(call: CallParts, target: string): Promise<Tunnel> {
  const to = readAuthority(target, undefined);
  if (to === undefined) {
    throw new ProxyError(400, 'CONNECT needs an unambiguous host and port');
  }
  const tls = judgeOrigin(call.network, call.deny, { ...to, scheme: 'https' });
  const plain = judgeOrigin(call.network, call.deny, { ...to, scheme: 'http' });
  const isInspected =
    !(tls.permitted && tls.wholly) ||
    call.secrets.concerns((rules) => judgeOrigin(rules, [], { ...to, scheme: 'https' }).permitted);
  if (isInspected && (tls.permitted || plain.permitted)) {
    try {
      await call.addressesOf(to.host, to.port);
      return { ...to, tls, plain, through: undefined };
    } catch (error) {
      call.ledger.refused(error, call.ledger.begin({ ...to, method: null, path: null }));
      throw error;
    }
  }
  const line = call.ledger.begin({ ...to, method: null, path: null });
  if (tls.rule !== undefined) line.rule = ruleText(tls.rule);
  try {
    if (!tls.permitted) throw call.refuse({ ...to, scheme: 'https' }, tls.reason, tls.rule);
    // Connects before the program gets an answer, so the answer can report a failure.
    return { ...to, tls, plain, through: { remote: await connectUpstream(call, to), line } };
  } catch (error) {
    call.ledger.refused(error, line);
    throw error;
  }
}

async function connectUpstream(call: CallParts, to: { host: string; port: number }): Promise<Socket> {
  const { signal, clear } = deadline(call.limits.timeoutMs, call.closed);
  try {
    return await call.upstream.connection({ ...to, scheme: 'https' }, signal);
  } catch (error) {
    throw signal.aborted ? asProxyError(signal.reason, to.host) : error;
  } finally {
    clear();
  }
}
