/** The start of a daemon, in the foreground or on demand. Loads the HTTP server. */
export { serveOnDemand } from './app/serve-on-demand.ts';
export { type RunningDaemon, startDaemon } from './app/start-daemon.ts';
export type { SandboxState } from './setup/machine.ts';
