import { McpServer } from '@modelcontextprotocol/server';
import { whileSame } from '../while-same.ts';
import { answerLargeMessages } from './request/large-message.ts';
import type { McpCaller, McpDeps } from './request/mcp-deps.ts';
import { recordErrors } from './request/record-errors.ts';
import { logOptIn } from './session/log-opt-in.ts';
import { getPrompt, listPrompts } from './skills/prompts.ts';
import { type SkillEntries, skillEntries } from './skills/skill-entry.ts';
import { listResources, skillsExtension } from './skills/skills-extension.ts';
import { callTool, listTools } from './tools/call-tool.ts';
import { mcpTool, type ToolOf } from './tools/skill-tool.ts';
import { workspaceResources } from './workspaces/workspace-resources.ts';

const instructions =
  'Skills, with instructions to load (list_skills, load_skill, read_skill_file) and tools that run in a sandbox with the capabilities that an operator has granted. A refusal says why, and which line of configuration grants what is missing; you cannot grant it yourself.';

const workspaceInstructions =
  ' For files that several calls work on, use a workspace: create_workspace creates one, each call names it, and the *_workspace* tools list, read and change its files.';

/** Cached views of skills, shared by all servers. */
export interface SkillViews {
  entryOf: SkillEntries;
  toolOf: ToolOf;
}

/** An empty cache. */
export function skillViews(): SkillViews {
  return { entryOf: skillEntries(), toolOf: whileSame(mcpTool) };
}

/**
 * An MCP server for one caller, not connected yet. Every response with a protocol error is
 * recorded, and `recorded` is called with its code. Requests are handled directly instead of
 * through the SDK's tools: schemas of skills are untrusted and are only evaluated where a hostile
 * one can be stopped.
 */
export function mcpServer(
  deps: McpDeps,
  caller: McpCaller,
  views: SkillViews,
  recorded: (code: number) => void = () => undefined,
): McpServer {
  const listChanged = true;
  const mcp = new McpServer(
    { name: 'ambit', title: 'Ambit', version: deps.version },
    {
      capabilities: {
        tools: { listChanged },
        prompts: { listChanged },
        resources: { listChanged },
        logging: {},
      },
      instructions: caller.mayExecute ? instructions + workspaceInstructions : instructions,
    },
  );
  recordErrors(deps, caller, mcp, recorded);
  answerLargeMessages(mcp);
  skillsExtension(deps, caller, views.entryOf).attach(mcp);
  workspaceResources(deps, caller, mcp);
  const { server } = mcp;
  const wantsLog = logOptIn(mcp);
  server.setRequestHandler('tools/list', ({ params }) =>
    listTools(deps, caller, params?.cursor, views.toolOf),
  );
  server.setRequestHandler('tools/call', ({ params }, ctx) => {
    const context = { ...ctx, wantsLog: wantsLog(ctx), executionId: deps.newExecutionId() };
    return callTool(deps, caller, params, context, views.toolOf);
  });
  server.setRequestHandler('resources/list', ({ params }) => listResources(deps, caller, params?.cursor));
  server.setRequestHandler('prompts/list', ({ params }) => listPrompts(deps, caller, params?.cursor));
  server.setRequestHandler('prompts/get', ({ params }) =>
    getPrompt(deps, caller, params.name, params.arguments),
  );
  return mcp;
}
