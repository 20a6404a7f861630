import type { Config, GeneralConfig } from './config.ts';
import { defaultLayer } from './file/config-file.ts';
import { Capacity, type Settings, settingsSchema } from './file/settings.ts';
import { documentOf } from './layers.ts';

/** The default of every key, except for keys that depend on the folder. */
export function defaultConfig(): GeneralConfig {
  return generalConfig(documentOf(defaultLayer(settingsSchema('/', '/'))) as Settings);
}

/** Makes the general configuration from the settings of a file. */
export function generalConfig({
  dataDir: _dataDir,
  skills: _skills,
  bundledSkills: _bundled,
  discoveredSkills: _discovered,
  grants,
  limits,
  ...settings
}: Settings): GeneralConfig {
  const values = Object.entries(limits);
  return {
    ...settings,
    ...splitGrants(grants),
    limits: Object.fromEntries(values.filter(([name]) => !isCapacity(name))),
    capacity: Object.fromEntries(values.filter(([name]) => isCapacity(name))) as Capacity,
  };
}

/** Whether a key of `limits` concerns all runs together. */
export function isCapacity(name: string): boolean {
  return Object.hasOwn(Capacity.shape, name);
}

/** Separates the grants into the capabilities of calls, the MCP servers, and the users of full trust. */
function splitGrants(granted: Settings['grants']): Pick<Config, 'grants' | 'mcpServers' | 'hostUsers'> {
  const skills = Object.entries(granted);
  return {
    grants: Object.fromEntries(
      skills.map(([id, { mcpServers: _, user: __, ...capabilities }]) => [id, capabilities]),
    ),
    hostUsers: Object.fromEntries(
      skills.flatMap(([id, { user }]) => (user === undefined ? [] : [[id, user]])),
    ),
    mcpServers: Object.fromEntries(
      skills.flatMap(([id, { mcpServers }]) =>
        Object.keys(mcpServers).length === 0 ? [] : [[id, mcpServers]],
      ),
    ),
  };
}
