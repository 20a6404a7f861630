/** Capabilities, limits and tiers, what an operator grants, and the smallest grant that covers what calls lacked. */

export { amountText, byteAmount } from './capability/amount.ts';
export {
  CapabilityKind,
  capabilityKinds,
  noCapabilities,
  RecordedCapabilities,
} from './capability/capabilities.ts';
export {
  Denial,
  denialText,
  denialTexts,
  grantLine,
  yamlScalar,
} from './capability/denial.ts';
export { liesWithin, pathsOverlap } from './capability/filesystem.ts';
export { items } from './capability/items.ts';
export {
  CallLimits,
  type LimitName,
  type LimitRange,
  OperatorLimits,
  RequestedLimits,
} from './capability/limits.ts';
export { onlyIfNamed, programsNamed } from './capability/program-sets.ts';
export { type SandboxFolders, sandboxFolders } from './capability/sandbox-folders.ts';
export { SkillGrant } from './capability/skill-grant.ts';
export { RecordedTier, TierSettings, tierCeilings, tiersWith } from './capability/tier.ts';
export { decideItem, itemRules, oneItem } from './grant/decide-item.ts';
export { capabilityDenied } from './grant/grant.ts';
export { onlyNarrows, onlyTrusted, tierRemedy } from './grant/judge-item.ts';
export { type LimitedRun, limitedRun, limitRangeOf } from './grant/limit-range.ts';
export { networkRemedy, ruleFor } from './grant/network-remedy.ts';
export { grantNotes } from './propose/grant-notes.ts';
export { type ExcludedItem, Proposal, type ProposedItem } from './propose/proposal.ts';
export { proposeGrant } from './propose/propose-grant.ts';
export { unmetRequests } from './propose/unmet-requests.ts';
export type { HostPlaces } from './propose/what-it-opens.ts';
