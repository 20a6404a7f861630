import type { TargetInput, TargetSettings } from './target-settings.ts';
import { listedTools, unique, unknownTools } from './tool-names.ts';

/**
 * A settings file for `amp`. `amp.tools.enable` lists the available tools. An empty list might count as
 * absent, so it comes with `amp.tools.disable: ["*"]`. The first matching rule of `amp.permissions`
 * applies; its last rule rejects the rest. `*` matches every tool.
 *
 * Source: ampcode.com/docs/cli/settings, ampcode.com/manual/appendix (permissions); the types of `@sourcegraph/amp-sdk`.
 */
export function ampSettings({ prompt, tools, mcpServers, model, folder = '.' }: TargetInput): TargetSettings {
  const isAll = tools.allowed === 'all';
  const allowed = listedTools(tools.allowed);
  const patterns = isAll
    ? ['*']
    : unique(
        allowed.flatMap(({ name, rule, mcp }) => {
          if (mcp !== undefined)
            return [`mcp__${literal(mcp.server)}__${mcp.tool === undefined ? '*' : literal(mcp.tool)}`];
          return rule === undefined && Object.hasOwn(toolsOf, name) ? (toolsOf[name] ?? []) : [];
        }),
      );
  const settings = {
    'amp.tools.enable': patterns,
    'amp.tools.disable': patterns.length === 0 ? ['*'] : undefined,
    'amp.permissions': [
      ...patterns.map((tool) => ({ tool, action: 'allow' })),
      ...(isAll ? [] : [{ tool: '*', action: 'reject' }]),
    ],
    'amp.dangerouslyAllowAll': false,
    'amp.mcpServers': mcpServers.servers,
    'amp.systemPrompt': prompt === '' ? undefined : prompt,
  };
  const ruled = allowed.filter(({ rule }) => rule !== undefined);
  return {
    args: ['--settings-file', `${folder}/settings.json`],
    files: [{ path: 'settings.json', content: `${JSON.stringify(settings, null, 2)}\n` }],
    limits: [
      "Amp lets a project's .amp/settings.json, a plugin and an administrator override these settings.",
      'Releases of Amp since May 2026 leave permissions to a plugin; in those only the list of enabled tools applies.',
      ...(prompt === ''
        ? []
        : ["The prompt uses a setting that Amp's SDK writes but its manual does not document."]),
      ...(model === undefined ? [] : [`Amp picks models by mode, so ${JSON.stringify(model)} is not set.`]),
      ...(ruled.length === 0
        ? []
        : [`Amp cannot allow a part of a tool: ${ruled.map(({ text }) => text).join(', ')} is left out.`]),
      ...unknownTools(
        'Amp',
        allowed.filter(({ name, mcp }) => mcp === undefined && !Object.hasOwn(toolsOf, name)),
      ),
    ],
  };
}

/** Amp's equivalents of the tools of Claude Code. */
const toolsOf: Readonly<Record<string, readonly string[]>> = {
  Read: ['Read'],
  Write: ['create_file'],
  Edit: ['edit_file'],
  MultiEdit: ['edit_file'],
  Glob: ['glob'],
  Grep: ['Grep'],
  Bash: ['Bash', 'shell_command'],
  Task: ['Task'],
  Skill: ['skill'],
  WebFetch: ['read_web_page'],
  WebSearch: ['web_search'],
};

/** A name without pattern characters, which matches only itself. */
function literal(text: string): string {
  return text.replace(/[*?[\]{}!()]/g, '_');
}
