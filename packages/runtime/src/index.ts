export { bubblewrapSandbox } from './process/bubblewrap-sandbox.ts';
export { closeInheritedDescriptors } from './process/inherited-descriptors.ts';
export { type ProcessExecutorOptions, processExecutor } from './process/process-executor.ts';
export { probeSandbox, type SandboxStatus } from './process/probe-sandbox.ts';
export type { Sandbox } from './process/sandbox.ts';
export { folderCatalog, type SkillRoot } from './skills/folder-catalog.ts';
