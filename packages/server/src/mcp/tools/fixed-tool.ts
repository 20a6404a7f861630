import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { McpCaller, McpDeps } from '../mcp-deps.ts';
import { readArguments } from './read-arguments.ts';
import type { ToolContext } from './tool-context.ts';

/** A tool of Ambit's own. The other tools are skills. */
export interface FixedTool {
  tool: Tool;
  /** The scope that a key needs for it. Without the scope the tool is not listed, and a call is refused. */
  scope: 'skills:read' | 'skills:execute';
  /** Whether it runs something of a skill. Such a call has a record of its own, also when it is refused. */
  runsSkill: boolean;
  /** The call that these arguments mean. Throws `INPUT_INVALID`. */
  read(given: unknown): (deps: McpDeps, caller: McpCaller, ctx: ToolContext) => Promise<CallToolResult>;
}

interface FixedToolDefinition<Schema extends z.ZodType> {
  description: string;
  schema: Schema;
  /** Absent: it reads. */
  annotations?: Tool['annotations'];
  scope?: FixedTool['scope'];
  runsSkill?: boolean;
  run(deps: McpDeps, caller: McpCaller, given: z.output<Schema>, ctx: ToolContext): Promise<CallToolResult>;
}

/** Makes one from the schema of its arguments. */
export function fixedTool<Schema extends z.ZodType>(
  name: string,
  definition: FixedToolDefinition<Schema>,
): FixedTool {
  const { description, schema, run, scope = 'skills:read', runsSkill = false } = definition;
  const { annotations = { readOnlyHint: true, openWorldHint: false } } = definition;
  // Its dialect is MCP's own, and every character of a tool is in every conversation.
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const inputSchema = json as Tool['inputSchema'];
  return {
    tool: { name, description, inputSchema, annotations },
    ...{ scope, runsSkill },
    read(given) {
      const parsed = readArguments(name, schema, given);
      return (deps, caller, ctx) => run(deps, caller, parsed, ctx);
    },
  };
}
