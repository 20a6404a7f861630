export { InstallError, type InstallErrorCode, installErrorCodes } from './install-error.ts';
export {
  SignatureError,
  type SigstoreIdentity,
  type SigstoreSigner,
  verifySigstore,
} from './publisher/verify-sigstore.ts';
export { type OpenedSource, openSource } from './source/open-source.ts';
export { type ParsedSource, parseSource, resolvedSource } from './source/parse-source.ts';
export type { RefusedSkill } from './source/source.ts';
export { type FoundSkill, type Survey, signatureFile, surveySource } from './stage/survey.ts';
export { writeSkills } from './stage/write-skills.ts';
