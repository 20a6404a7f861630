/** Installed skills as the daemon describes them. */
export { inspectFolder, type ReviewedSkill, type SkillReview } from './installs/inspect-folder.ts';
export type { Installs, Requester, VersionToApprove } from './installs/installs.ts';
export { namespaceOf } from './installs/namespace.ts';
export { type ReviewedSigner, reviewedSigner } from './installs/publishers/provenance.ts';
