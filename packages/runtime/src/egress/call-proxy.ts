import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import type { EgressConnection, NetworkRule } from '@ambit/core/egress';
import { steadyTime } from '../steady-time.ts';
import type { CallParts, EgressLimits } from './call/call-parts.ts';
import { type CallRedaction, callRedaction } from './call/call-redaction.ts';
import { type CallSecret, callSecrets } from './call/call-secrets.ts';
import { checkedAddresses, type Dial, type Resolve } from './call/checked-addresses.ts';
import { type Ledger, ledger } from './call/ledger.ts';
import { type EgressDenial, networkRefusals, ProxyError } from './call/refusal.ts';
import { upstream } from './call/upstream.ts';
import { callRequest, type ProxyRequest, type ProxyResponse } from './call-request.ts';
import { writeRefusal } from './http/answer-refusal.ts';
import { serveHttp } from './http/serve-http.ts';
import { openTunnel } from './tunnel/open-tunnel.ts';

/** The network grants of a call. */
export interface ProxiedCall {
  /** The rules for the hosts that the call may reach. */
  network: readonly NetworkRule[];
  /** The operator's deny rules, which take precedence. */
  deny: readonly NetworkRule[];
  secrets: readonly CallSecret[];
  limits: EgressLimits;
  /** The clock of the call. Absent: it starts now. */
  now?: (() => number) | undefined;
  /** The line of configuration that would grant a rule. */
  remedy(rule: string): string;
}

/** The proxy as seen by one call. */
export interface CallProxy {
  /**
   * Speaks the HTTP proxy protocol (`http://` in absolute form, CONNECT for the rest) on a
   * connection from the sandbox.
   */
  serve(connection: Duplex): void;
  /**
   * Sends one request and returns redirects as responses. Throws `ProxyRefusal` if the request is
   * not granted, `ProxyError` if it fails.
   */
  request(request: ProxyRequest): Promise<ProxyResponse>;
  /** Name of a secret → its placeholder in this call. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** Redacts the values of secrets in the call's output, and counts. */
  readonly redaction: Pick<CallRedaction, 'ofRun' | 'redactions'>;
  connections(): readonly EgressConnection[];
  denials(): readonly EgressDenial[];
  uses(): ReturnType<Ledger['uses']>;
  /** Ends every connection of the call. Later connections are closed immediately. */
  close(): void;
}

/** The parts that the proxies of all calls share. */
export interface ProxyParts {
  resolve: Resolve;
  dial: Dial;
  trusted: SecureContext;
  ownAddresses: () => readonly string[];
  certify: (host: string) => Promise<SecureContext>;
}

/** Opens the proxy of a call; the caller closes it. */
export function callProxy(call: ProxiedCall, proxy: ProxyParts): CallProxy {
  const parts = { ...callParts(call, proxy), certify: proxy.certify };
  const { limits, closed } = parts;
  const inside = new Set<Duplex>();
  let requests = 0;
  const isFull = (): boolean => inside.size + requests >= limits.connections;
  const tooMany = (): ProxyError =>
    new ProxyError(503, `too many connections: a call may have ${limits.connections} at the same time`);
  return {
    placeholders: parts.secrets.placeholders,
    redaction: parts.redaction,
    connections: parts.ledger.connections,
    denials: () => parts.ledger.denials,
    uses: parts.ledger.uses,
    serve(connection) {
      // The parser, the tunnel and its pipes all listen for the end of the connection.
      connection.setMaxListeners(30).on('error', () => connection.destroy());
      // Otherwise the last message of a handshake waits 40 ms for an acknowledgement.
      if (connection instanceof Socket) connection.setNoDelay(true);
      if (closed.aborted) return void connection.destroy();
      if (isFull()) return writeRefusal(connection, tooMany());
      inside.add(connection);
      connection.on('close', () => inside.delete(connection));
      serveHttp(parts, connection, {
        onConnect: (request, socket, head) => {
          // Any error after the tunnel opened ends the tunnel.
          openTunnel(parts, request.url ?? '', socket, head).catch(() => socket.destroy());
        },
      });
    },
    async request(request) {
      if (closed.aborted) throw closed.reason;
      if (isFull()) throw tooMany();
      requests++;
      try {
        return await callRequest(parts, request);
      } finally {
        requests--;
      }
    },
    close() {
      parts.end();
      for (const connection of inside) connection.destroy();
      parts.upstream.close();
    },
  };
}

function callParts(
  { network, deny, secrets, limits, now = steadyTime(), remedy }: ProxiedCall,
  { resolve, dial, trusted, ownAddresses }: ProxyParts,
): Omit<CallParts, 'certify'> & { end: () => void } {
  const closing = new AbortController();
  const refuse = networkRefusals(remedy);
  const addressesOf = checkedAddresses({ network, deny }, { resolve, ownAddresses }, refuse);
  return {
    network,
    deny,
    limits,
    refuse,
    addressesOf,
    ledger: ledger(limits, now),
    upstream: upstream(
      addressesOf,
      { dial, trusted, connections: limits.connections, connectMs: limits.timeoutMs },
      closing.signal,
    ),
    secrets: callSecrets(secrets),
    redaction: callRedaction(secrets.map(({ value }) => value)),
    closed: closing.signal,
    end: () => closing.abort(new ProxyError(503, 'the call has ended')),
  };
}
