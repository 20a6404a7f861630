import { randomBytes } from 'node:crypto';
import { Transform } from 'node:stream';
import { type EgressRequest, judgeRequest, type NetworkRule } from '@ambit/core/egress';
import { ruleFor } from '@ambit/core/policy';
import { foundParts, partialMatchBytes } from './found-parts.ts';
import { ProxyError, ProxyRefusal } from './refusal.ts';

/** A secret of a call: its value and the hosts that may receive it. */
export interface CallSecret {
  name: string;
  value: string;
  hosts: readonly NetworkRule[];
}

/** Replaces placeholders with secrets in one request. */
export interface SecretsFor {
  /** Whether the request may contain any secret. */
  readonly any: boolean;
  /** The names of the secrets inserted so far. */
  readonly placed: ReadonlySet<string>;
  /** A path and query; values are URL-encoded. */
  target(target: string): string;
  /** A header's value, including the decoded content of Basic authorization. */
  header(name: string, value: string): string;
  /** A body, whole or in chunks; values are escaped for its content type. */
  body(contentType: string): Transform;
}

/** The placeholders of a call's secrets. */
export interface CallSecrets {
  /** Name → placeholder. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** The values that a host has received in this call, in any request to any of its ports. */
  receivedBy(host: string): ReadonlySet<string>;
  /** Whether any secret may be sent to these destinations, so requests must be inspected. */
  concerns(permits: (rules: readonly NetworkRule[]) => boolean): boolean;
  /**
   * For one request. `isProtected` means that it cannot be read in transit. The returned functions
   * throw `ProxyRefusal` for the placeholder of a secret that this request may not contain.
   */
  for(request: EgressRequest, isProtected: boolean): SecretsFor;
}

interface Secret extends CallSecret {
  placeholder: string;
}

/** Creates random placeholders of equal length that need no escaping. */
export function callSecrets(secrets: readonly CallSecret[]): CallSecrets {
  const held = secrets.map((secret) => ({
    ...secret,
    placeholder: `ambit-secret-${randomBytes(16).toString('hex')}`,
  }));
  const received = new Map<string, Set<string>>();
  return {
    receivedBy: (host) => received.get(host) ?? none,
    placeholders: Object.fromEntries(held.map(({ name, placeholder }) => [name, placeholder])),
    concerns: (permits) => held.some(({ hosts }) => permits(hosts)),
    for(request, isProtected) {
      const isFor = ({ hosts }: Secret): boolean => isProtected && judgeRequest(hosts, [], request).permitted;
      const placed = new Set<string>();
      const valueFor = (secret: Secret): string => {
        if (!isFor(secret)) throw refuseSecret(secret, request, isProtected);
        placed.add(secret.name);
        received.set(request.host, (received.get(request.host) ?? new Set()).add(secret.value));
        return secret.value;
      };
      const filled = (text: string, encode: (value: string) => string): string =>
        held.reduce(
          (result, secret) =>
            result.includes(secret.placeholder)
              ? result.replaceAll(secret.placeholder, () => encode(valueFor(secret)))
              : result,
          text,
        );
      return {
        any: held.some(isFor),
        placed,
        target: (target) => filled(target, encodeURIComponent),
        header: (name, value) => fillHeader(name, value, (text) => filled(text, inHeader)),
        body: (contentType) => fillingStream(held, valueFor, escapeFor(contentType)),
      };
    },
  };
}

const none: ReadonlySet<string> = new Set();

function refuseSecret({ name, hosts }: Secret, to: EgressRequest, isProtected: boolean): ProxyRefusal {
  const requested = `${name} to ${to.host}:${to.port}`;
  if (!isProtected)
    return new ProxyRefusal(403, {
      capability: 'secrets',
      requested,
      reason: 'is not sent over a connection that others can read',
      remedy: `use https://${to.host}; no grant allows plain HTTP for a secret, except to a loopback address`,
    });
  const held = hosts.map((rule) => JSON.stringify(rule)).join(', ');
  return new ProxyRefusal(403, {
    capability: 'secrets',
    requested,
    reason: 'is not for that host',
    remedy: `add ${JSON.stringify(ruleFor(to))} to the hosts of { name: ${name}, hosts: [${held}] }`,
  });
}

function fillHeader(name: string, value: string, filled: (text: string) => string): string {
  const basic = name === 'authorization' ? /^(basic +)([A-Za-z0-9+/_=-]+)$/i.exec(value) : null;
  if (basic?.[2] === undefined) return filled(value);
  const inside = Buffer.from(basic[2], 'base64').toString('latin1');
  const changed = filled(inside);
  // Unchanged if it contains no placeholder, to preserve unusual encodings.
  return changed === inside ? value : `${basic[1]}${Buffer.from(changed, 'latin1').toString('base64')}`;
}

/** Headers carry bytes, which Node represents as Latin-1. */
function inHeader(value: string): string {
  const text = Buffer.from(value).toString('latin1');
  if (!/[^\t\x20-\x7e\x80-\xff]/.test(text)) return text;
  throw new ProxyError(
    400,
    'a secret with control characters, such as a line break, cannot be sent in a header',
  );
}

function escapeFor(contentType: string): (value: string) => string {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return encodeURIComponent;
  if (/^application\/(?:[\w.+-]*\+)?json\b/i.test(contentType)) {
    return (value) => JSON.stringify(value).slice(1, -1);
  }
  return (value) => value;
}

function fillingStream(
  held: readonly Secret[],
  valueFor: (secret: Secret) => string,
  encode: (value: string) => string,
): Transform {
  const byNeedle = new Map<Buffer, Secret>(held.map((secret) => [Buffer.from(secret.placeholder), secret]));
  const needles = [...byNeedle.keys()];
  let pending: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        const { filled, rest } = withValues(Buffer.concat([pending, chunk]));
        const settled = rest.length - partialMatchBytes(rest, needles);
        pending = rest.subarray(settled);
        done(null, Buffer.concat([filled, rest.subarray(0, settled)]));
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      done(null, pending);
    },
  });

  /**
   * Replaces up to the last placeholder, and returns the remaining bytes. They may begin another
   * placeholder.
   */
  function withValues(bytes: Buffer): { filled: Buffer; rest: Buffer } {
    const parts: Buffer[] = [];
    let from = 0;
    for (const { start, end, needle } of foundParts(bytes, needles).sort((a, b) => a.start - b.start)) {
      const secret = byNeedle.get(needle);
      if (secret === undefined) continue;
      parts.push(bytes.subarray(from, start), Buffer.from(encode(valueFor(secret))));
      from = end;
    }
    return { filled: Buffer.concat(parts), rest: bytes.subarray(from) };
  }
}
