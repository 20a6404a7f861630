/** Skills as tools for a program that adapts them itself. */
export type { SkillTool, SkillTools, ToolClient, ToolOptions, ToolResult } from './skill-tools.ts';
export { skillTools } from './skill-tools.ts';
