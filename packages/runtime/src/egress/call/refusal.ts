import { type NetworkRule, ruleText } from '@ambit/core/egress';
import { type Denial, denialText, ruleFor } from '@ambit/core/policy';

/** A failed request. `status` is the HTTP status; the message is for the program. */
export class ProxyError extends Error {
  override name = 'ProxyError';
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(`Ambit: ${message}`, options);
    this.status = status;
  }
}

/** A response that has more bytes than the call, or the request, may receive. */
export class ResponseTooLarge extends ProxyError {
  override name = 'ResponseTooLarge';

  constructor(who: string, bytesMax: number) {
    super(502, `response too large: ${who} may receive ${bytesMax} bytes`);
  }
}

/** A request that the call's grant does not allow. */
export type EgressDenial = Denial & { capability: 'network' | 'secrets' };

/** A request that is not granted. `denial` says what would grant it. */
export class ProxyRefusal extends ProxyError {
  override name = 'ProxyRefusal';
  readonly denial: EgressDenial;
  /** The deny rule that refused it, if any. */
  readonly rule: NetworkRule | undefined;

  constructor(status: number, denial: EgressDenial, rule?: NetworkRule) {
    super(status, denialText(denial));
    this.denial = denial;
    this.rule = rule;
  }
}

/** The destination of a request. `scheme` is absent if it is not known yet. */
interface Destination {
  host: string;
  port: number;
  scheme?: 'http' | 'https';
  /** The special address of a name, which a rule must name. */
  address?: string;
  /** The remedy if no grant helps. */
  remedy?: string | undefined;
}

/** Creates the refusal of a destination. */
export type RefuseNetwork = (
  to: Destination,
  reason: string,
  rule?: NetworkRule,
  status?: number,
) => ProxyRefusal;

/**
 * `remedy` returns the line of configuration that grants a rule. If a deny rule refused the
 * request, the remedy is to remove it.
 */
export function networkRefusals(remedy: (rule: string) => string): RefuseNetwork {
  return (to, reason, rule, status = 403) =>
    new ProxyRefusal(
      status,
      {
        capability: 'network',
        requested: `${to.host}:${to.port}`,
        reason,
        remedy:
          rule === undefined
            ? (to.remedy ?? remedy(ruleFor({ ...to, host: to.address ?? to.host })))
            : `remove deny rule network: ${ruleText(rule)}`,
      },
      rule,
    );
}

/** Turns any thrown value into a `ProxyError`. */
export function asProxyError(error: unknown, what: string): ProxyError {
  if (error instanceof ProxyError) return error;
  // An AbortError's cause is the reason why the request was ended.
  const reason = error instanceof Error && error.name === 'AbortError' ? error.cause : undefined;
  if (reason instanceof ProxyError) return reason;
  const text =
    error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
  return new ProxyError(502, `${what} is unreachable or closed the connection: ${text}`, { cause: error });
}
