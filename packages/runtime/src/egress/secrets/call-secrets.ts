import { randomBytes } from 'node:crypto';
import { Transform } from 'node:stream';
import { type EgressRequest, judgeRequest, type NetworkRule, ruleFor } from '@ambit/core/internal';
import { ProxyError, ProxyRefusal } from '../refusal.ts';
import { foundParts, unsettledBytes } from './found-parts.ts';

/** A secret of a call: what it is worth, and for whom. */
export interface CallSecret {
  name: string;
  value: string;
  hosts: readonly NetworkRule[];
}

/** Puts secrets where their placeholders stand, for one request. */
export interface SecretsFor {
  /** Whether any secret may be put into this request. */
  readonly any: boolean;
  /** The names of those that were put into it so far. */
  readonly placed: ReadonlySet<string>;
  /** A path and query; values are escaped. */
  target(target: string): string;
  /** A header's value, and what a Basic authorization holds inside. */
  header(name: string, value: string): string;
  /** A body, whole or in chunks; values are escaped as its content type needs. */
  body(contentType: string): Transform;
}

/** What a call's programs hold in the place of its secrets. */
export interface CallSecrets {
  /** Name → placeholder. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** Whether a secret is for anything there, so that requests have to be seen. */
  concerns(permits: (rules: readonly NetworkRule[]) => boolean): boolean;
  /**
   * For one request, which is protected when nobody on the way can read it. Whatever is returned throws `GateRefusal` for a
   * placeholder of a secret that is not for this request.
   */
  for(request: EgressRequest, isProtected: boolean): SecretsFor;
}

interface Held extends CallSecret {
  placeholder: string;
}

/** Makes placeholders that nobody can guess, of one length, and such that no escaping changes them. */
export function callSecrets(secrets: readonly CallSecret[]): CallSecrets {
  const held = secrets.map((secret) => ({
    ...secret,
    placeholder: `ambit-secret-${randomBytes(16).toString('hex')}`,
  }));
  return {
    placeholders: Object.fromEntries(held.map(({ name, placeholder }) => [name, placeholder])),
    concerns: (permits) => held.some(({ hosts }) => permits(hosts)),
    for(request, isProtected) {
      const isFor = ({ hosts }: Held): boolean => isProtected && judgeRequest(hosts, [], request).permitted;
      const placed = new Set<string>();
      const valueFor = (secret: Held): string => {
        if (!isFor(secret)) throw notForThere(secret, request, isProtected);
        placed.add(secret.name);
        return secret.value;
      };
      const filled = (text: string, encode: (value: string) => string): string =>
        held.reduce(
          (sofar, secret) =>
            sofar.includes(secret.placeholder)
              ? sofar.replaceAll(secret.placeholder, () => encode(valueFor(secret)))
              : sofar,
          text,
        );
      return {
        any: held.some(isFor),
        placed,
        target: (target) => filled(target, encodeURIComponent),
        header: (name, value) => filledHeader(name, value, (text) => filled(text, inHeader)),
        body: (contentType) => filling(held, valueFor, escapeFor(contentType)),
      };
    },
  };
}

function notForThere({ name, hosts }: Held, to: EgressRequest, isProtected: boolean): ProxyRefusal {
  const held = hosts.map((rule) => JSON.stringify(rule)).join(', ');
  return new ProxyRefusal(403, {
    capability: 'secrets',
    requested: `${name} to ${to.host}:${to.port}`,
    ...(isProtected
      ? {
          reason: 'is not for that host',
          remedy: `add ${JSON.stringify(ruleFor(to))} to the hosts of { name: ${name}, hosts: [${held}] }`,
        }
      : {
          reason: 'is not sent where everybody on the way can read it',
          remedy: `ask for https://${to.host}; no grant sends a secret over plain HTTP, but to a loopback address`,
        }),
  });
}

function filledHeader(name: string, value: string, filled: (text: string) => string): string {
  const basic = name === 'authorization' ? /^(basic +)([A-Za-z0-9+/_=-]+)$/i.exec(value) : null;
  if (basic?.[2] === undefined) return filled(value);
  const inside = Buffer.from(basic[2], 'base64').toString('latin1');
  const changed = filled(inside);
  // Untouched when nothing is in it: whoever wrote it in an unusual way meant it.
  return changed === inside ? value : `${basic[1]}${Buffer.from(changed, 'latin1').toString('base64')}`;
}

/** Headers carry bytes, which Node takes as Latin-1. */
function inHeader(value: string): string {
  const text = Buffer.from(value).toString('latin1');
  if (!/[^\t\x20-\x7e\x80-\xff]/.test(text)) return text;
  throw new ProxyError(
    400,
    'a secret with control characters, such as a line’s end, cannot stand in a header',
  );
}

function escapeFor(contentType: string): (value: string) => string {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return encodeURIComponent;
  if (/^application\/(?:[\w.+-]*\+)?json\b/i.test(contentType)) {
    return (value) => JSON.stringify(value).slice(1, -1);
  }
  return (value) => value;
}

function filling(
  held: readonly Held[],
  valueFor: (secret: Held) => string,
  encode: (value: string) => string,
): Transform {
  const byNeedle = new Map<Buffer, Held>(held.map((secret) => [Buffer.from(secret.placeholder), secret]));
  const needles = [...byNeedle.keys()];
  let kept: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        const { filled, rest } = withValues(Buffer.concat([kept, chunk]));
        const settled = rest.length - unsettledBytes(rest, needles);
        kept = rest.subarray(settled);
        done(null, Buffer.concat([filled, rest.subarray(0, settled)]));
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      done(null, kept);
    },
  });

  /** Up to the last placeholder, whose own end is the beginning of no other, and what follows on it. */
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
