/** Work on this machine's files, for commands. */
export { inspectMachine } from './doctor/inspect-machine.ts';
export { type StagedSource, stageSource } from './installs/stage-source.ts';
export type { AppliedChanges } from './local/apply-changes.ts';
export {
  auditReceipt,
  checkAuditReceipt,
  rotateAuditKey,
  type VerifyRequest,
  verifyAudit,
} from './local/audit-proofs.ts';
export { backupAudit, type LogBackup, type PrunedPart, pruneAudit } from './local/audit-retention.ts';
export { createAuthorKey } from './local/author-key.ts';
export { copyToPostgres } from './local/copy-to-postgres.ts';
export { changeGrant, type GrantChange } from './local/grant-locally.ts';
export { type GrantInForce, grantsInForce } from './local/grants-in-force.ts';
export { createKey, type ListedKey, listKeys, revokeKey } from './local/keys.ts';
export { openToolChecker } from './local/open-tool-checker.ts';
export { applyProposal, type LocalProposal, proposeLocally } from './local/propose-locally.ts';
export { signSkill, statementOf } from './local/sign-skill.ts';
export { type TrustActions, type TrustReview, trustActions } from './local/trust-actions.ts';
export { type Prompts, prompts } from './prompts/prompts.ts';
export { catalogOf, policyOf } from './setup/skill-service.ts';
