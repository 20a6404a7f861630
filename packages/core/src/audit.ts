/**
 * The audit log: its events, and the port that an implementation provides.
 */
export {
  type AuditEvent,
  type CallDenied,
  type CallEvent,
  type CallFinished,
  type CallStarted,
  type ConfigReloaded,
  type Confirmation,
  type DaemonEvent,
  type InstallEvent,
  isCallEvent,
  type KeyRotated,
  type LogPruned,
  type SkillApproved,
  type SkillInstalled,
} from './audit/audit-event.ts';
export {
  type AppendOptions,
  type AuditLog,
  AuditPage,
  AuditPosition,
  type AuditQuery,
  type AuditReader,
  AuditStats,
  type CallStats,
  type StatsQuery,
} from './audit/audit-log.ts';
export { callRecord } from './audit/call-record.ts';
export { CallRecord } from './audit/call-record-schema.ts';
export { eventHash, eventText, genesisHash, placedText, type Sha256 } from './audit/chain.ts';
export {
  breakWindow,
  type ChainedEvent,
  type ChainHead,
  describeBreak,
  isNextEvent,
  type LinkHash,
} from './audit/chain-break.ts';
export type {
  ClusterFinding,
  ClusterTree,
  ClusterVerification,
  NodeEnd,
  NodeEvents,
  NodePosition,
  ReadNodeEvents,
  VerifiedNode,
} from './audit/cluster-audit.ts';
export { daemonEventKinds } from './audit/daemon-event-kinds.ts';
export { type EventFacts, eventFacts } from './audit/event-facts.ts';
export {
  type Actor,
  type EntryPoint,
  entryPoints,
  type RecordedPayload,
  type RecordedSkill,
} from './audit/event-parts.ts';
export { receiptFor } from './audit/receipt-for.ts';
export { cursorOf, type RecordFilter, recordFits } from './audit/record-fits.ts';
export type { PayloadPolicy, PayloadRecording, Redactor } from './audit/recorded-payload.ts';
export {
  type Checkpoint,
  type EventReceipt,
  type Inclusion,
  type Receipt,
  type Signed,
  SignedEventReceipt,
  SignedReceipt,
} from './audit/signed-statements.ts';
export { statsOf } from './audit/stats-of.ts';
export { type Flaw, type ReceiptCheck, Verification } from './audit/verification.ts';
