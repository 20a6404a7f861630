import type { TargetInput, TargetSettings } from './target-settings.ts';

/**
 * For an agent that is any program: the selection as a file, and its parts in the environment. `AMBIT_ALLOWED_TOOLS` is a
 * JSON list and always set: a program that finds `[]` has no tools, and one that does not find it was not told.
 */
export function processSettings({
  prompt,
  tools,
  mcpServers,
  model,
  folder = '.',
}: TargetInput): TargetSettings {
  const selection = {
    prompt,
    allowedTools: tools.allowed,
    withheldTools: tools.withheld,
    mcpServers: mcpServers.servers,
    model: model ?? null,
  };
  return {
    env: {
      AMBIT_ALLOWED_TOOLS: JSON.stringify(tools.allowed),
      AMBIT_SELECTION: `${folder}/selection.json`,
    },
    files: [{ path: 'selection.json', content: `${JSON.stringify(selection, null, 2)}\n` }],
    limits: ['Whether the program keeps to the list is up to the program; nothing outside of it holds it.'],
  };
}
