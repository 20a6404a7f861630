import { claudeTools } from './claude-tools.ts';
import type { TargetInput, TargetSettings } from './target-settings.ts';

/**
 * `options` of `query()` in the Claude Agent SDK. `tools: []` switches off every built-in tool.
 * `allowedTools` lists the tools that run without a question; `dontAsk` mode denies the rest, and
 * `bypassPermissions` mode, which needs a second option, permits it. Settings on disk could allow more,
 * so they are not loaded.
 *
 * Source: platform.claude.com/docs/en/agent-sdk/typescript; the types of `@anthropic-ai/claude-agent-sdk` 0.3.
 */
export function claudeSdkSettings({ prompt, tools, mcpServers, model }: TargetInput): TargetSettings {
  const { builtIn, allowed, disallowed, permissionMode, limits } = claudeTools(tools);
  return {
    options: {
      systemPrompt: { type: 'preset', preset: 'claude_code', append: prompt === '' ? undefined : prompt },
      tools: builtIn === 'default' ? { type: 'preset', preset: 'claude_code' } : builtIn,
      allowedTools: allowed,
      disallowedTools: disallowed,
      permissionMode,
      allowDangerouslySkipPermissions: permissionMode === 'bypassPermissions' ? true : undefined,
      mcpServers: mcpServers.servers,
      strictMcpConfig: true,
      settingSources: [],
      model,
    },
    limits: [...limits, 'Rules that an administrator manages on this machine can allow more.'],
  };
}
