import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import type { EgressConnection, NetworkRule } from '@ambit/core/internal';
import type { CallParts, EgressLimits } from './call-parts.ts';
import { callRequest, type ProxyRequest, type ProxyResponse } from './call-request.ts';
import { writeRefusal } from './http/answer-refusal.ts';
import { serveHttp } from './http/serve-http.ts';
import { upstream } from './http/upstream.ts';
import { type Ledger, ledger } from './ledger.ts';
import { checkedAddresses, type Dial, type Resolve } from './origin/checked-addresses.ts';
import { type EgressDenial, networkRefusals, ProxyError } from './refusal.ts';
import { type CallSecret, callSecrets } from './secrets/call-secrets.ts';
import { type SecretRedactor, secretRedactor } from './secrets/secret-redactor.ts';
import { openTunnel } from './tunnel/open-tunnel.ts';

/** What a call may do on the network. */
export interface ProxiedCall {
  /** What it may reach. */
  network: readonly NetworkRule[];
  /** The operator's deny rules, which win. */
  deny: readonly NetworkRule[];
  secrets: readonly CallSecret[];
  limits: EgressLimits;
  /** The line of configuration that a rule would be granted with. */
  remedy(rule: string): string;
}

/** The proxy as one call sees it. */
export interface CallProxy {
  /** Speaks HTTP proxy (`http://` in absolute form, CONNECT for the rest) on one connection from inside. */
  serve(connection: Duplex): void;
  /**
   * Makes one request; redirects are answers like any other. Throws `GateRefusal` for what is not granted, `ProxyError` for
   * what fails.
   */
  request(request: ProxyRequest): Promise<ProxyResponse>;
  /** Name of a secret → what stands for it inside of this call. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** Covers the values of secrets in what comes out of the call. */
  readonly redactor: Pick<SecretRedactor, 'text' | 'bytes' | 'pieces'>;
  connections(): readonly EgressConnection[];
  denials(): readonly EgressDenial[];
  uses(): ReturnType<Ledger['uses']>;
  /** Ends every connection of the call. What comes afterwards is closed at once. */
  close(): void;
}

/** What all calls' proxies share. */
export interface ProxyParts {
  resolve: Resolve;
  dial: Dial;
  trusted: SecureContext;
  ownAddresses: () => readonly string[];
  certify: (host: string) => Promise<SecureContext>;
}

/** Opens the proxy of one call; whoever opens it closes it. */
export function callProxy(call: ProxiedCall, proxy: ProxyParts): CallProxy {
  const parts = { ...callParts(call, proxy), certify: proxy.certify };
  const { limits, closed } = parts;
  const inside = new Set<Duplex>();
  let requests = 0;
  const isFull = (): boolean => inside.size + requests >= limits.connections;
  const tooMany = (): ProxyError =>
    new ProxyError(503, `a call has at most ${limits.connections} connections`);
  return {
    placeholders: parts.secrets.placeholders,
    redactor: parts.redactor,
    connections: () => parts.ledger.connections,
    denials: () => parts.ledger.denials,
    uses: parts.ledger.uses,
    serve(connection) {
      // A parser, a tunnel and what it pipes all listen for the end of one connection.
      connection.setMaxListeners(30).on('error', () => connection.destroy());
      // A handshake's last message would otherwise wait for an acknowledgement, 40 ms.
      if (connection instanceof Socket) connection.setNoDelay(true);
      if (closed.aborted) return void connection.destroy();
      if (isFull()) return writeRefusal(connection, tooMany());
      inside.add(connection);
      connection.on('close', () => inside.delete(connection));
      serveHttp(parts, connection, {
        onConnect: (request, socket, head) => {
          // Whatever goes wrong behind a tunnel's opening ends the tunnel.
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
  { network, deny, secrets, limits, remedy }: ProxiedCall,
  { resolve, dial, trusted, ownAddresses }: ProxyParts,
): Omit<CallParts, 'certify'> & { end: () => void } {
  const ending = new AbortController();
  const refuse = networkRefusals(remedy);
  const addressesOf = checkedAddresses({ network, deny }, { resolve, ownAddresses }, refuse);
  return {
    network,
    deny,
    limits,
    refuse,
    addressesOf,
    ledger: ledger(limits),
    upstream: upstream(
      addressesOf,
      { dial, trusted, connections: limits.connections, connectMs: limits.timeoutMs },
      ending.signal,
    ),
    secrets: callSecrets(secrets),
    redactor: secretRedactor(secrets.map(({ value }) => value)),
    redacts: secrets.length > 0,
    closed: ending.signal,
    end: () => ending.abort(new ProxyError(503, 'the call is over')),
  };
}
