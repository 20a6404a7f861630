import type { SettingsFragment } from './imported.ts';
import { yamlText } from './skill/skill-text.ts';

/** A fragment as lines for `ambit.config.yaml`; empty if there are no settings. */
export function settingsText({ phases, agents }: SettingsFragment): string {
  const said = Object.entries({ phases, agents }).filter(([, settings]) => Object.keys(settings).length > 0);
  return said.length === 0 ? '' : yamlText(Object.fromEntries(said));
}
