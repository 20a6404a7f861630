/** The configuration: its values, their origins and its mistakes. */
export type { PolicyChange } from './config/cluster-policy.ts';
export type { Config, ConfigEntry, ConfigFlags, ConfigSources } from './config/config.ts';
export { ConfigError } from './config/config-error.ts';
export type { AllowedGroup } from './config/file/allowed-by.ts';
export { logLevels } from './config/file/plain-values.ts';
export { defaultConfig } from './config/general-config.ts';
export { addressProblem } from './config/listen-address.ts';
export { configLoader, namedDataDir } from './config/load-config.ts';
export { bundledSkills } from './config/program-folder.ts';
export { foundSkills, limitWarnings, missingRoots, skillWarnings } from './config/skill-warnings.ts';
