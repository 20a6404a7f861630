import { dynamicTool, jsonSchema, type ToolSet } from 'ai';
import { type SkillTools, skillTools, type ToolClient, type ToolOptions } from '../skill-tools.ts';

/**
 * The skills that fit `options` as tools of the AI SDK: `generateText({ tools: await ambitTools(client) })`. A refusal is
 * a text for the model. Aborting the generation cancels running calls. Rejects like `client.tools`.
 */
export async function ambitTools(client: ToolClient, options: ToolOptions = {}): Promise<ToolSet> {
  const skills = await skillTools(client, options);
  return Object.fromEntries(skills.tools.map((tool) => [tool.name, toolOf(tool, skills)]));
}

function toolOf({ name, description, inputSchema }: SkillTools['tools'][number], { call }: SkillTools) {
  return dynamicTool({
    description,
    inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]),
    execute: async (given, { abortSignal: signal }) => (await call(name, given, { signal })).text,
  });
}
