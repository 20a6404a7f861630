import { claudeTools } from './claude-tools.ts';
import type { TargetInput, TargetSettings } from './target-settings.ts';

/**
 * Flags of `claude`. `--tools` lists the available built-in tools; `""` means none. `--allowedTools` lists
 * the tools that run without a question; `dontAsk` mode denies the rest, and `bypassPermissions` mode
 * permits it. Its own MCP servers and the settings on disk could allow more, so they are left out.
 *
 * Source: code.claude.com/docs/en/cli-reference; the flag that an SDK option is sent as, in the types of
 * `@anthropic-ai/claude-agent-sdk` 0.3.
 */
export function claudeCodeSettings({
  prompt,
  tools,
  mcpServers,
  model,
  folder = '.',
}: TargetInput): TargetSettings {
  const { builtIn, allowed, disallowed, permissionMode, limits: ofTools } = claudeTools(tools);
  const args = [
    ...(prompt === '' ? [] : ['--append-system-prompt-file', `${folder}/prompt.md`]),
    ...['--tools', builtIn === 'default' ? builtIn : builtIn.join(',')],
    // A flag without a value would consume the next flag.
    ...(allowed.length === 0 ? [] : ['--allowedTools', allowed.join(',')]),
    ...(disallowed.length === 0 ? [] : ['--disallowedTools', disallowed.join(',')]),
    ...['--permission-mode', permissionMode],
    ...['--mcp-config', JSON.stringify({ mcpServers: mcpServers.servers }), '--strict-mcp-config'],
    ...['--setting-sources', ''],
    ...(model === undefined ? [] : ['--model', model]),
  ];
  const limits = [...ofTools, 'Rules that an administrator manages on this machine can allow more.'];
  if (prompt === '') return { args, limits };
  return { args, files: [{ path: 'prompt.md', content: prompt }], limits };
}
