import { daemonStatus } from '../audit/file/lock-data-dir.ts';
import { daemonLogFile } from './daemon-log.ts';

/** Whether a daemon runs for a data directory, how it was started, and where it is, as a sentence or two; `undefined` if none runs. */
export async function daemonText(dataDir: string): Promise<string | undefined> {
  const status = await daemonStatus(dataDir);
  if (!status.running) return undefined;
  if (status.process === null)
    return `Another command, or a daemon that does not listen yet, uses ${dataDir}.`;
  const { pid, url, socket, console, onDemand } = status.process;
  const start = onDemand === true ? ', started on demand' : '';
  const place = url === undefined ? '' : `, ${url}`;
  const sentences = [`A daemon runs for ${dataDir} (process ${pid}${place}${start}).`];
  if (socket !== undefined) sentences.push(`Socket: ${socket}.`);
  if (console !== undefined) sentences.push(`Web console: ${console}.`);
  if (onDemand === true) sentences.push(`Log: ${daemonLogFile(dataDir)}.`);
  return sentences.join(' ');
}
