import { settingsSchema } from './file/settings.ts';
import { keysOf } from './keys.ts';

/** The names of the variables that set a key of the configuration, such as `AMBIT_PORT`. */
export function settingVariables(): string[] {
  // Neither the folder nor the home changes the names.
  return keysOf(settingsSchema('/', '/')).flatMap(([, type]) => type.meta()?.env ?? []);
}
