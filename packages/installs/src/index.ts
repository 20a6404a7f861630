export {
  type BuiltEnvironment,
  buildEnvironment,
  type WantedPackages,
} from './dependencies/build-environment.ts';
export { declaredDependencies, mayDeclare } from './dependencies/declared.ts';
export type { DependencySettings, FetchedPackage, PackageIndex } from './dependencies/dependency-options.ts';
export {
  addedRequirement,
  type RefusedRequirement,
  type Requirement,
} from './dependencies/requirement.ts';
export { InstallError } from './install-error.ts';
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
