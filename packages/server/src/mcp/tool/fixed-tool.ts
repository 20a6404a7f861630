import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { argumentsSchema } from '../../wire/tool/tool-schema.ts';
import type { McpCaller, McpDeps } from '../request/mcp-deps.ts';
import type { ToolContext } from '../request/request-signal.ts';
import { readArguments } from './read-arguments.ts';

/** A tool of Ambit's own. The other tools are skills. */
export interface FixedTool {
  tool: Tool;
  /** The scope that a key needs. Without it the tool is not listed, and calls are refused. */
  scope: 'skills:read' | 'skills:execute';
  /** Whether it runs a skill. Such a call has its own record, even if it is refused. */
  runsSkill: boolean;
  /** Parses arguments into a call. Throws `INPUT_INVALID`. */
  read(given: unknown): (deps: McpDeps, caller: McpCaller, ctx: ToolContext) => Promise<CallToolResult>;
}

interface FixedToolDefinition<Schema extends z.ZodType> {
  description: string;
  schema: Schema;
  /** Absent: the tool is read-only. */
  annotations?: Tool['annotations'];
  scope?: FixedTool['scope'];
  runsSkill?: boolean;
  run(deps: McpDeps, caller: McpCaller, given: z.output<Schema>, ctx: ToolContext): Promise<CallToolResult>;
}

/** Creates a tool from the schema of its arguments. */
export function fixedTool<Schema extends z.ZodType>(
  name: string,
  definition: FixedToolDefinition<Schema>,
): FixedTool {
  const { description, schema, run, scope = 'skills:read', runsSkill = false } = definition;
  const { annotations = { readOnlyHint: true, openWorldHint: false } } = definition;
  const inputSchema = argumentsSchema(schema) as Tool['inputSchema'];
  return {
    tool: { name, description, inputSchema, annotations },
    scope,
    runsSkill,
    read(given) {
      const parsed = readArguments(name, schema, given);
      return (deps, caller, ctx) => run(deps, caller, parsed, ctx);
    },
  };
}
