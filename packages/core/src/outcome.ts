/** The outcome of a run, and its usage. */

export { CodedError, type ErrorDetails, UsageError } from './outcome/coded-error.ts';
export { type HostCall, type HostCalls, hostCallsMax } from './outcome/host-calls.ts';
export type { InstallErrorCode } from './outcome/install-error-code.ts';
export { type CommandOutput, type Failure, OutcomeStatus, Usage, type Written } from './outcome/outcome.ts';
export { outcomeFilters, recordOutcomes } from './outcome/outcome-statuses.ts';
export { skillErrorCodes } from './outcome/skill-error.ts';
export { thrownText } from './outcome/thrown-text.ts';
export {
  noneObserved,
  type ObservedRun,
  type ObservedUses,
  UsedCapabilities,
  type UsedItems,
  unobserved,
  usedBounds,
  usedCapabilities,
  usedNothing,
} from './outcome/used.ts';
