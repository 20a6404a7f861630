/** Skills as tools for the Vercel AI SDK, and for any other program. */
export { ambitTools } from './provider/ai-sdk.ts';
export type { SkillTool, SkillTools, ToolClient, ToolOptions, ToolResult } from './skill-tools.ts';
export { skillTools } from './skill-tools.ts';
