import { type Denial, type NetworkRule, ruleFor, ruleText } from '@ambit/core/internal';

/** A request that does not come to its end. `status` is what HTTP calls it; the message is for whoever asked. */
export class ProxyError extends Error {
  override name = 'GateError';
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(`Ambit: ${message}`, options);
    this.status = status;
  }
}

/** What a call asked for and does not get. */
export type EgressDenial = Denial & { capability: 'network' | 'secrets' };

/** A request that the grant does not allow. `denial` says what would. */
export class ProxyRefusal extends ProxyError {
  override name = 'GateRefusal';
  readonly denial: EgressDenial;
  /** The deny rule, when one speaks. */
  readonly rule: NetworkRule | undefined;

  constructor(status: number, denial: EgressDenial, rule?: NetworkRule) {
    const { capability, requested, reason, remedy } = denial;
    super(status, `${capability} ${requested} ${reason}. To grant it: ${remedy}`);
    this.denial = denial;
    this.rule = rule;
  }
}

/** Where somebody wanted to get. `scheme` is absent where it is not known yet. */
interface Destination {
  host: string;
  port: number;
  scheme?: 'http' | 'https';
  /** The address that a rule has to name, where that of a name is special. */
  address?: string;
  /** What to do, where no grant helps. */
  remedy?: string | undefined;
}

/** Refuses what leads there. */
export type RefuseNetwork = (
  to: Destination,
  reason: string,
  rule?: NetworkRule,
  status?: number,
) => ProxyRefusal;

/** `remedy` gives the line that has a rule in it; what a deny rule refuses needs that rule gone. */
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

/** Whatever was thrown, as something that can be answered. */
export function asProxyError(error: unknown, what: string): ProxyError {
  if (error instanceof ProxyError) return error;
  // What an abort gives as its cause is what ended the request.
  const reason = error instanceof Error && error.name === 'AbortError' ? error.cause : undefined;
  if (reason instanceof ProxyError) return reason;
  const text =
    error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
  return new ProxyError(502, `${what} could not be reached or broke off: ${text}`, { cause: error });
}
