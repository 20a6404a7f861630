/** Skills as tools of Anthropic's Messages API. */
export type { AnthropicTool, ToolUse, ToolUseResult } from './provider/anthropic-api.ts';
export { anthropicTools } from './provider/anthropic-api.ts';
