export type { ContextLimits, ContextLocation } from './context/context-location.ts';
export { gatherContext } from './context/gather-context.ts';
export { gitEnvironment } from './context/git-environment.ts';
export { isThere } from './durable/is-there.ts';
export { readOrdinaryFile } from './durable/read-ordinary-file.ts';
export { writeAtomically } from './durable/write-atomically.ts';
export {
  type DurableDraft,
  draftDurably,
  syncPath,
  writeDurably,
} from './durable/write-durably.ts';
export type { EgressLimits } from './egress/call/call-parts.ts';
export { ProxyError, ProxyRefusal, ResponseTooLarge } from './egress/call/refusal.ts';
export { type Egress, egressBounds } from './egress/call-egress.ts';
export type { CallProxy, ProxiedCall } from './egress/call-proxy.ts';
export type { ProxyRequest, ProxyResponse } from './egress/call-request.ts';
export { egress } from './egress/egress.ts';
export { type EgressProxy, type EgressProxyOptions, egressProxy } from './egress/egress-proxy.ts';
export { followRedirects, RedirectError } from './egress/follow-redirects.ts';
export { fileContent } from './json/file-content.ts';
export { findFlaw, flawText, type JsonBounds, type JsonFlaw } from './json/json-flaw.ts';
export { type JsonThread, jsonThread } from './json/json-thread.ts';
export { notFiniteAt } from './json/not-finite.ts';
export { redactShapesInThread } from './json/redact-shapes-in-thread.ts';
export { treeDigest } from './process/dependencies/tree-digest.ts';
export { skillFolder } from './process/entry.ts';
export type { OwnPaths } from './process/granted-paths.ts';
export { replaceableBy } from './process/host/hidden-paths.ts';
export type { HostSettings } from './process/host/host-access.ts';
export { userProblem } from './process/host/host-user.ts';
export { proxyAccess } from './process/network-access.ts';
export { probeSandbox, type SandboxStatus } from './process/probe-sandbox.ts';
export {
  type ProcessExecutor,
  type ProcessExecutorOptions,
  processExecutor,
} from './process/process-executor.ts';
export {
  findHostProgram,
  type HostProgram,
  hostProgram,
  howToInstall,
} from './process/programs/host-program.ts';
export { isInstalledPath } from './process/programs/program-data.ts';
export {
  type BubblewrapOptions,
  bubblewrapSandbox,
} from './process/sandbox/bubblewrap/bubblewrap-sandbox.ts';
export { availableMemoryBytes } from './process/sandbox/cgroup/available-memory.ts';
export { cgroupLimits } from './process/sandbox/cgroup/cgroup-limits.ts';
export { nodePermissionSandbox } from './process/sandbox/node-permission-sandbox.ts';
export { pin } from './process/sandbox/pins.ts';
export { runInSandbox } from './process/sandbox/run-in-sandbox.ts';
export type { Pin, Sandbox, SandboxedCommand, SandboxedRun } from './process/sandbox/sandbox.ts';
export type { PrewarmedLoad } from './process/skill-pools.ts';
export { jsonSchemaChecker } from './schema/json-schema-checker.ts';
export { isMatchedByValue } from './secrets/find/needles.ts';
export { redactShapes, secretsIn } from './secrets/secret-shapes.ts';
export { type SecretLocation, type SecretSource, secretSource } from './secrets/secret-source.ts';
export type { SkillCacheOptions } from './skills/cache/skill-cache.ts';
export { type FolderEntry, listFolder } from './skills/folder/list-folder.ts';
export { type FolderCatalog, folderCatalog } from './skills/folder-catalog.ts';
export { type ListedFile, openListedFile, readListedFile } from './skills/open-listed-file.ts';
export { readSkillRoot } from './skills/read-skill-root.ts';
export { scanningProgram } from './skills/scan/scanning-thread.ts';
export type { SkillRoot } from './skills/scan/skill-root.ts';
export { type DetachedEnd, type DetachedProgram, detachedProgram } from './spawn/detached-program.ts';
export type { Environment } from './spawn/environment.ts';
export { threadEnvironment } from './spawn/environment.ts';
export { operatorCommand } from './spawn/operator-command.ts';
export { searchPath } from './spawn/search-path.ts';
export { type ToolCheck, type ToolChecker, toolChecker } from './tool-checker.ts';
export { whyNotCoreModule } from './wasm/entry/core-module.ts';
export { moduleBytesMax } from './wasm/entry/entry-of.ts';
export { moduleSurface } from './wasm/entry/module-surface.ts';
export { meterModule } from './wasm/meter/meter-module.mjs';
export { wasmHostProgram } from './wasm/pool/host-command.ts';
export type { HostPoolLoad } from './wasm/pool/host-pool.ts';
export { type PythonPackage, pythonPackage } from './wasm/python-package.ts';
export { type WasmExecutor, type WasmExecutorOptions, wasmExecutor } from './wasm/wasm-executor.ts';
