import type { TargetInput, TargetSettings } from './target-settings.ts';
import { listedTools } from './tool-names.ts';

/**
 * Arguments of `aider`, which has no tools: it shows the model a few files and applies the edits in its
 * response. The prompt is a read-only file of the chat, as for conventions.
 *
 * Source: aider.chat/docs/config/options.html and /docs/usage/conventions.html.
 */
export function aiderSettings({
  prompt,
  tools,
  mcpServers,
  model,
  folder = '.',
}: TargetInput): TargetSettings {
  const isAll = tools.allowed === 'all';
  const allowed = listedTools(tools.allowed);
  const has = (...wanted: string[]): boolean =>
    isAll || allowed.some(({ name, rule }) => wanted.includes(name) && rule === undefined);
  const writes = has('Write', 'Edit', 'MultiEdit');
  const servers = Object.keys(mcpServers.servers);
  const args = [
    ...(prompt === '' ? [] : ['--read', `${folder}/prompt.md`]),
    ...(writes ? [] : ['--chat-mode', 'ask', '--dry-run']),
    ...(has('Bash') ? [] : ['--no-suggest-shell-commands', '--no-auto-lint', '--no-auto-test']),
    ...(has('WebFetch') ? [] : ['--no-detect-urls']),
    ...(model === undefined ? [] : ['--model', model]),
  ];
  const limits = [
    isAll
      ? 'Aider has no tools that a model calls; nothing that it can switch off is off.'
      : 'Aider has no tools that a model calls, so a list of tools does not restrict it; everything it can switch off is off.',
    'Aider shows the model a map of the repository and the files of the chat regardless of the allowed tools.',
    ...(prompt === ''
      ? []
      : ['The prompt is a file of the chat and does not replace the system prompt of Aider.']),
    ...(servers.length === 0
      ? []
      : [`Aider does not connect to MCP servers: ${servers.join(', ')} is left out.`]),
  ];
  if (prompt === '') return { args, limits };
  return { args, files: [{ path: 'prompt.md', content: prompt }], limits };
}
