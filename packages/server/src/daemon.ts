/** The daemon of a data directory: its files and address, its start on demand, its reload and its end. */
export { daemonStatus } from './audit/file/lock-data-dir.ts';
export { daemonAddress } from './local-socket/daemon-address.ts';
export { socketFetch } from './local-socket/socket-fetch.ts';
export { isSocketOf } from './local-socket/socket-folder.ts';
export { daemonText } from './on-demand/daemon-text.ts';
export { onDemandArguments, readOnDemandArguments } from './on-demand/on-demand-arguments.ts';
export { daemonStarter, type OnDemandStart } from './on-demand/start-on-demand.ts';
export { type DaemonTls, daemonFetch, daemonTls } from './running-daemon/daemon-fetch.ts';
export { reloadDaemon } from './running-daemon/reload-daemon.ts';
export type { ReloadResult } from './running-daemon/reload-report.ts';
export { endWhenUnused, type StoppedDaemon, stopDaemon } from './running-daemon/stop-daemon.ts';
export { daemonKey, dataFiles } from './setup/data-dir.ts';
