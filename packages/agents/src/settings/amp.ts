import type { TargetInput, TargetSettings } from './target-settings.ts';
import { toolName, unique, unknownTools } from './tool-names.ts';

/**
 * A settings file for `amp`. `amp.tools.enable` lists the tools there are; because a list without any might count as no
 * list, an empty one is said again as `amp.tools.disable: ["*"]`. `amp.permissions` ends with a rule that rejects the
 * rest: of its rules the first that matches counts.
 *
 * Source: ampcode.com/docs/cli/settings, ampcode.com/manual/appendix (permissions); the types of `@sourcegraph/amp-sdk`.
 */
export function ampSettings({ prompt, tools, mcpServers, model, folder = '.' }: TargetInput): TargetSettings {
  const allowed = tools.allowed.map(toolName);
  const patterns = unique(
    allowed.flatMap(({ name, rule, mcp }) => {
      if (mcp !== undefined)
        return [`mcp__${literal(mcp.server)}__${mcp.tool === undefined ? '*' : literal(mcp.tool)}`];
      return rule === undefined && Object.hasOwn(toolsOf, name) ? (toolsOf[name] ?? []) : [];
    }),
  );
  const settings = {
    'amp.tools.enable': patterns,
    ...(patterns.length === 0 ? { 'amp.tools.disable': ['*'] } : {}),
    'amp.permissions': [
      ...patterns.map((tool) => ({ tool, action: 'allow' })),
      { tool: '*', action: 'reject' },
    ],
    'amp.dangerouslyAllowAll': false,
    'amp.mcpServers': mcpServers.servers,
    ...(prompt === '' ? {} : { 'amp.systemPrompt': prompt }),
  };
  const ruled = allowed.filter(({ rule }) => rule !== undefined);
  return {
    args: ['--settings-file', `${folder}/settings.json`],
    files: [{ path: 'settings.json', content: `${JSON.stringify(settings, null, 2)}\n` }],
    limits: [
      "Amp lets a project's .amp/settings.json, a plugin and an administrator override these settings.",
      'Releases of Amp since May 2026 leave permissions to a plugin; there the list of enabled tools is what holds.',
      ...(prompt === ''
        ? []
        : ["The prompt is given as the setting that Amp's SDK writes, which its manual does not name."]),
      ...(model === undefined ? [] : [`Amp picks models by mode, so ${JSON.stringify(model)} is not set.`]),
      ...(ruled.length === 0
        ? []
        : [`Part of a tool is not allowed in Amp: ${ruled.map(({ text }) => text).join(', ')} is left out.`]),
      ...unknownTools(
        'Amp',
        allowed.filter(({ name, mcp }) => mcp === undefined && !Object.hasOwn(toolsOf, name)),
      ),
    ],
  };
}

/** Amp's tools that do what another agent's does. */
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

/** A name that is a pattern for itself alone. */
function literal(text: string): string {
  return text.replace(/[*?[\]{}!()]/g, '_');
}
