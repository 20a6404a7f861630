import type { TargetInput, TargetSettings } from './target-settings.ts';

/**
 * For any other program: the selection as a file, and its parts in the environment.
 * `AMBIT_ALLOWED_TOOLS` is a JSON list and always set, so `[]` means no tools. `"all"` means every tool.
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
    limits: ['The program itself must respect the list; nothing enforces it.'],
  };
}
