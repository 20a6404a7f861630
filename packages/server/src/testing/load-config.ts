import type { Config, ConfigSources } from '../config/config.ts';
import { configLoader } from '../config/load-config.ts';

/** The configuration that a command with these sources has. */
export function loadConfig(sources: ConfigSources): Promise<Config> {
  return configLoader().load(sources);
}
