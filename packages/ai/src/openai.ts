/** Skills as functions of OpenAI's Chat Completions and Responses APIs, which other providers have too. */
export type { ChatTool, ChatToolCall, FunctionCall, ResponsesTool } from './provider/openai-apis.ts';
export { openaiTools } from './provider/openai-apis.ts';
