/** Skills as tools for the Vercel AI SDK. */
export { ambitTools } from './provider/ai-sdk.ts';
export type { SkillTool, ToolClient, ToolOptions } from './skill-tools.ts';
