import { McpServer } from '@modelcontextprotocol/server';
import type { McpCaller, McpDeps } from './mcp-deps.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { recordErrors } from './record-errors.ts';
import { heardLog } from './session/heard-log.ts';
import { type SkillEntries, skillEntries } from './skills/skill-entry.ts';
import { listResources, skillsExtension } from './skills/skills-extension.ts';
import { callTool, listTools } from './tools/call-tool.ts';
import { skillTools } from './tools/skill-tool.ts';
import { workspaceResources } from './workspaces/workspace-resources.ts';

const instructions =
  'Skills, with instructions to load (list_skills, load_skill, read_skill_file) and tools that run in a sandbox with what an operator has granted. What is refused says why and which line of configuration would grant it; you cannot grant it yourself.';

const workspaceInstructions =
  ' Files that several calls work on are in a workspace: create_workspace makes one, each call names it, and the *_workspace* tools list, read and change what is in it.';

/** What is made of a skill once for all servers. */
export interface SkillViews {
  entryOf: SkillEntries;
  toolOf: ReturnType<typeof skillTools>;
}

/** None made yet. */
export function skillViews(): SkillViews {
  return { entryOf: skillEntries(), toolOf: skillTools() };
}

/**
 * The MCP server that one caller talks to, not yet connected. What it answers with an error of the protocol is recorded,
 * and `recorded` called with its code. Requests are answered by hand rather than through the SDK's
 * own tools: a skill's schemas come from strangers, and are only ever looked at where a hostile one can be stopped.
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
        ...{ tools: { listChanged }, prompts: { listChanged }, resources: { listChanged } },
        logging: {},
      },
      instructions: caller.mayExecute ? instructions + workspaceInstructions : instructions,
    },
  );
  recordErrors(deps, caller, mcp, recorded);
  skillsExtension(deps, caller, views.entryOf).attach(mcp);
  workspaceResources(deps, caller, mcp);
  const { server } = mcp;
  const hearsLog = heardLog(mcp);
  server.setRequestHandler('tools/list', ({ params }) =>
    listTools(deps, caller, params?.cursor, views.toolOf),
  );
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    callTool(deps, caller, params, { ...ctx, hearsLog: hearsLog(ctx) }),
  );
  server.setRequestHandler('resources/list', ({ params }) => listResources(deps, caller, params?.cursor));
  server.setRequestHandler('prompts/list', ({ params }) => listPrompts(deps, caller, params?.cursor));
  server.setRequestHandler('prompts/get', ({ params }) =>
    getPrompt(deps, caller, params.name, params.arguments),
  );
  return mcp;
}
