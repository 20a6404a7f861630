export type { ActivityKind } from './activity/activity-kind.ts';
export { type AgentToolCall, classifyToolCall } from './activity/classify-tool-call.ts';
export { type AgentTarget, agentSettings, agentTargets } from './settings/agent-settings.ts';
export type { TargetFile, TargetInput, TargetSettings } from './settings/target-settings.ts';
