/** Work on this machine's files, for commands. */
export { inspectMachine } from './doctor/inspect-machine.ts';
export { type StagedSource, stageSource } from './installs/stage-source.ts';
export { type AuditProofs, auditProofs, type VerifyRequest } from './local/audit-proofs.ts';
export { backupAudit, type LogBackup, type PrunedPart, pruneAudit } from './local/audit-retention.ts';
export { copyToPostgres } from './local/copy-to-postgres.ts';
export { type KeyActions, keyActions, type ListedKey } from './local/key-actions.ts';
export { openToolChecker } from './local/open-tool-checker.ts';
export { type LocalProposal, type ProposeActions, proposeActions } from './local/propose-actions.ts';
export { type SigningActions, signingActions } from './local/signing-actions.ts';
export { type TrustActions, type TrustReview, trustActions } from './local/trust-actions.ts';
export { type Prompts, prompts } from './prompts/prompts.ts';
export { catalogOf, policyOf } from './setup/skill-service.ts';
