export { type ToolCheck, type ToolChecker, toolChecker } from './check/tool-checker.ts';
export { type ContextLimits, type ContextLocation, contextLimits } from './context/context-location.ts';
export { gatherContext } from './context/gather-context.ts';
export { readOrdinaryFile } from './durable/read-ordinary-file.ts';
export { syncPath } from './durable/sync-path.ts';
export { syncFolder, writeDurably } from './durable/write-durably.ts';
export type { Egress } from './egress/call-egress.ts';
export type { EgressLimits } from './egress/call-parts.ts';
export type { CallProxy, ProxiedCall } from './egress/call-proxy.ts';
export type { ProxyRequest, ProxyResponse } from './egress/call-request.ts';
export { egress } from './egress/egress.ts';
export { type EgressProxy, type EgressProxyOptions, egressProxy } from './egress/egress-proxy.ts';
export { ProxyError, ProxyRefusal } from './egress/refusal.ts';
export type { Environment } from './environment/environment.ts';
export { threadEnvironment } from './environment/thread-environment.ts';
export {
  type ExportKind,
  type ExportReport,
  type ExportRequest,
  exportKinds,
  exportSkills,
} from './export/export-skills.ts';
export {
  type ImportKind,
  type ImportReport,
  type ImportRequest,
  importKinds,
  importSkills,
} from './import/import-skills.ts';
export { ImportError, type ReportLine, type SettingsFragment } from './import/imported.ts';
export { isThere } from './import/is-there.ts';
export { settingsText } from './import/settings-text.ts';
export { type ImportNetwork, isUrl } from './import/source/remote-source.ts';
export { fileContent } from './json/file-content.ts';
export { findFlaw, type JsonBounds, type JsonFlaw } from './json/json-flaw.ts';
export { type JsonThread, jsonThread } from './json/json-thread.ts';
export { notFiniteAt } from './json/not-finite.ts';
export { redactInThread } from './json/redact-in-thread.ts';
export { type LiveKind, type LiveRun, liveRun } from './live/live-run.ts';
export { logText } from './live/progress-lines.ts';
export type { OwnPaths } from './process/granted-paths.ts';
export { findHostProgram, hostProgram, howToInstall } from './process/host-program.ts';
export { operatorCommand } from './process/operator-command.ts';
export type { PrewarmedLoad } from './process/prewarmed.ts';
export {
  type ProcessExecutor,
  type ProcessExecutorOptions,
  processExecutor,
} from './process/process-executor.ts';
export { bubblewrapSandbox } from './process/sandbox/bubblewrap-sandbox.ts';
export { cgroupLimits } from './process/sandbox/cgroup/cgroup-limits.ts';
export { nodePermissionSandbox } from './process/sandbox/node-permission-sandbox.ts';
export { probeSandbox, type SandboxStatus } from './process/sandbox/probe-sandbox.ts';
export type { Sandbox } from './process/sandbox/sandbox.ts';
export { searchPath } from './process/search-path.ts';
export { jsonSchemaChecker } from './schema/json-schema-checker.ts';
export { type RedactionList, redactingSecrets, redactionList } from './secrets/redact/redaction-list.ts';
export { type SecretLocation, type SecretSource, secretSource } from './secrets/secret-source.ts';
export { type FolderCatalog, folderCatalog } from './skills/folder-catalog.ts';
export { type FolderEntry, listFolder } from './skills/list-folder.ts';
export { type ListedFile, openListedFile } from './skills/open-listed-file.ts';
export { readListedFile } from './skills/read-listed-file.ts';
export { discoveredRoots, type SkillRoot } from './skills/skill-root.ts';
export { folderState } from './state/folder-state.ts';
export { whyNotCoreModule } from './wasm/entry/core-module.ts';
export { moduleBytesMax } from './wasm/entry/entry-of.ts';
export { moduleSurface } from './wasm/entry/module-surface.ts';
export { meterModule } from './wasm/meter/meter-module.mjs';
export { wasmHostProgram } from './wasm/pool/host-command.ts';
export type { HostPoolLoad } from './wasm/pool/host-pool.ts';
export { type WasmExecutor, wasmExecutor } from './wasm/wasm-executor.ts';
export { type FolderWorkspacesOptions, folderWorkspaces } from './workspaces/folder-workspaces.ts';
