/** Rules of network access: which connections and requests a grant allows. */

export { canonicalHost, readAuthority } from './egress/canonical-host.ts';
export type { EgressConnection } from './egress/egress-connection.ts';
export {
  deniesAddress,
  type EgressRequest,
  grantsAddress,
  judgeOrigin,
  judgeRequest,
  type Origin,
  type OriginVerdict,
} from './egress/judge-egress.ts';
export { NetworkRule, ruleProblem, ruleText } from './egress/network-rule.ts';
export { specialAddress } from './egress/special-address.ts';
