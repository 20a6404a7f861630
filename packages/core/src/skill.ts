/** Reading skills: `SKILL.md`, `ambit.yaml`, ids, scripts, and what is part of a skill. */

export { aliasConflicts, withoutAlias } from './skill/alias.ts';
export { isBroken, skillUnusable } from './skill/catalog.ts';
export { codexFile, codexFileBytesMax, hiddenByCodex } from './skill/codex-policy.ts';
export {
  type DeclaredVersion,
  declaredVersion,
  meetsVersion,
  scriptBlock,
} from './skill/declared-version.ts';
export { describeMarkdown, plainLine } from './skill/describe-markdown.ts';
export { frontmatterBlock, splitSkillFile } from './skill/frontmatter.ts';
export type { HiddenFrom } from './skill/hidden-from.ts';
export { hiddenText, isHiddenName, isHiddenPath } from './skill/hidden-path.ts';
export { partsOfId, plainId, skillIdOf } from './skill/id-parts.ts';
export {
  folderAround,
  innerSkillFolders,
  isInnerSkill,
  mayHaveInnerSkills,
  skillFoldersAmong,
} from './skill/inner-skill.ts';
export { issueWords } from './skill/issue-words.ts';
export { describeIssues, nearest } from './skill/issues.ts';
export { looksSecret } from './skill/looks-secret.ts';
export { markdownFields, readManifest } from './skill/manifest.ts';
export { McpServers } from './skill/mcp-servers.ts';
export { parseLargeYaml, YamlTooLarge } from './skill/parse-yaml.ts';
export { runnablePackages } from './skill/python-module.ts';
export { isPython, isScript, type Payload, type Run } from './skill/run.ts';
export {
  type ContextRequirement,
  emptySidecar,
  readSidecar,
  type Sidecar,
} from './skill/sidecar.ts';
export {
  declaredRuns,
  digestText,
  isForModels,
  listedScripts,
  type Script,
  type SkillDependencies,
  type SkillFile,
  skillFileNames,
  skillFileOf,
} from './skill/skill.ts';
export { placesByIdAndName, SkillId, SkillName } from './skill/skill-id.ts';
export { skillIndex } from './skill/skill-index.ts';
export { skillNamed } from './skill/skill-named.ts';
export { skillNotFound, usableSkill } from './skill/skill-not-found.ts';
export { pathsInSkill } from './skill/skill-path.ts';
export { toolNames } from './skill/tool-names.ts';
export {
  callableScripts,
  everyRun,
  firstCall,
  isPlainScript,
  isUnapprovedPython,
  mayStart,
  runtimeOf,
} from './skill/tool-skill.ts';
export { yamlCost } from './skill/yaml-cost.ts';
