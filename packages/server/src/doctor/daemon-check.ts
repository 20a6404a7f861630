import { Ready, Unready } from '@ambit/api';
import type { Fetch } from '@ambit/client';
import type { z } from 'zod';
import { daemonStatus } from '../audit/file/lock-data-dir.ts';
import type { Config } from '../config/config.ts';
import { socketFetch } from '../local-socket/socket-fetch.ts';
import { isSocketOf } from '../local-socket/socket-folder.ts';
import { daemonLogFile } from '../on-demand/daemon-log.ts';
import { daemonFetch } from '../running-daemon/daemon-fetch.ts';
import type { DoctorCheck } from './doctor-report.ts';

const name = 'daemon';
/** A healthy daemon answers immediately. */
const waitMs = 5000;

/**
 * Checks whether the named daemon, or the one that uses the data directory, responds, accepts calls, and has this version. No
 * daemon is fine: commands start one on demand.
 */
export async function daemonCheck(config: Config, version: string): Promise<DoctorCheck> {
  const { dataDir, daemon: named } = config;
  if (named?.url !== undefined) return checkDaemon(named.url, fetch, version);
  const daemon = await daemonStatus(dataDir);
  if (!daemon.running) {
    return {
      name,
      status: 'ok',
      found: `no daemon uses ${dataDir}`,
      meaning: 'a command that needs one starts it on demand',
    };
  }
  if (daemon.address !== null) {
    const { pid, url, socket, console } = daemon.address;
    if (url !== undefined) return checkDaemon(url, await daemonFetch(config), version);
    if (socket !== undefined && isSocketOf(dataDir, socket)) {
      const page = console === undefined ? '' : `, web console ${console}`;
      const found = `started on demand (process ${pid}), socket ${socket}${page}, log ${daemonLogFile(dataDir)}`;
      return checkDaemon('http://localhost', socketFetch(socket), version, found);
    }
  }
  return {
    name,
    status: 'limited',
    found: `a process uses ${dataDir} but does not listen`,
    meaning: 'it is a starting daemon or another command; calls are refused until it listens or ends',
    fix: 'Wait a moment. If nothing changes, read its log and stop it',
  };
}

/** `place` is what is shown of it. */
async function checkDaemon(url: string, call: Fetch, version: string, place = url): Promise<DoctorCheck> {
  try {
    const readiness = await json(call, `${url}/readyz`);
    // A newer daemon may return more fields.
    const ready = Ready.loose().safeParse(readiness);
    if (!ready.success) return notReady(place, Unready.loose().safeParse(readiness).data);
    const { info } = (await json(call, `${url}/openapi.json`)) as { info: { version: string } };
    const found = `${place}, version ${info.version}`;
    if (info.version === version) return acceptsCalls(found, ready.data.checks);
    return {
      name,
      status: 'limited',
      found: `${found}; this is ${version}`,
      meaning: 'it accepts calls, but runs another version than this command',
      fix: 'Restart the daemon',
    };
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED')
      return {
        name,
        status: 'missing',
        found: `nothing listens at ${place}`,
        meaning: 'no call reaches it',
        fix: `Start the daemon there (ambit serve), or correct the address`,
      };
    if (why.includes('wrong version number'))
      return {
        name,
        status: 'missing',
        found: `${url} does not speak TLS`,
        meaning: 'no call reaches it',
        fix: `Use ${url.replace('https:', 'http:')}, or set listen.tls in the configuration of the daemon`,
      };
    return {
      name,
      status: 'missing',
      found: `${place} does not respond: ${why}`,
      meaning: 'no call reaches it',
      fix: 'Check its log and whether its process hangs, then restart it. From another machine, check proxies and firewalls too',
    };
  }
}

function acceptsCalls(found: string, checks: z.output<typeof Ready>['checks']): DoctorCheck {
  const low = Object.keys(checks).filter((part) => checks[part] === 'low');
  if (low.length === 0) return { name, status: 'ok', found, meaning: 'it accepts calls' };
  return {
    name,
    status: 'limited',
    found: `${found}; ${low.map((part) => `${part}: low`).join(', ')}`,
    meaning: 'it accepts calls, but some may soon be refused',
    fix: low.includes('peers')
      ? 'Let each node reach the others at cluster.advertise; "ambit cluster nodes" shows which cannot'
      : 'See its log and the other checks',
  };
}

function notReady(url: string, unready: z.output<typeof Unready> | undefined): DoctorCheck {
  const parts = Object.entries(unready?.checks ?? {}).filter(
    ([, found]) => found !== 'ok' && found !== 'low',
  );
  const why = [unready?.code ?? 'unknown reason', ...parts.map(([part, code]) => `${part}: ${code}`)];
  return {
    name,
    status: 'missing',
    found: `${url} refuses calls: ${why.join(', ')}`,
    meaning: 'it runs, but refuses calls with that code',
    fix: 'See its log and the other checks',
  };
}

async function json(call: Fetch, address: string): Promise<unknown> {
  return (await call(address, { signal: AbortSignal.timeout(waitMs) })).json();
}
