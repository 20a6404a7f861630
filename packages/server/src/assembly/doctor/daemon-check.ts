import type { z } from 'zod';
import { daemonStatus } from '../../audit/lock-data-dir.ts';
import type { DoctorCheck } from '../../cli/actions/doctor-report.ts';
import type { Config } from '../../config/config.ts';
import { Ready, Unready } from '../../wire/answer/health.ts';
import { daemonFetch } from '../runner/daemon-fetch.ts';

const name = 'daemon';
/** Whoever looks has no time, and a daemon that is well answers at once. */
const waitMs = 5000;

/**
 * Whether the daemon that was named, or that has the data directory, answers and takes calls, and is of this version. None
 * at all is no fault: commands do without.
 */
export async function daemonCheck(config: Config, version: string): Promise<DoctorCheck> {
  const { dataDir, daemon: asked } = config;
  if (asked?.url !== undefined) return answers(asked.url, fetch, version);
  const daemon = await daemonStatus(dataDir);
  if (!daemon.running) {
    return {
      ...{ name, status: 'ok', found: `none uses ${dataDir}` },
      meaning: 'each command runs its calls itself; ambit serve starts one',
    };
  }
  if (daemon.address !== null) return answers(daemon.address.url, await daemonFetch(config), version);
  return {
    ...{ name, status: 'limited', found: `something uses ${dataDir}, and does not listen` },
    meaning: 'calls are refused until it listens, or has ended: a daemon that starts, or another command',
    fix: 'Wait a moment. If it stays so, look at its log, and end it',
  };
}

async function answers(url: string, call: typeof fetch, version: string): Promise<DoctorCheck> {
  try {
    const readiness = await json(call, `${url}/readyz`);
    // A later daemon may say more.
    const ready = Ready.loose().safeParse(readiness);
    if (!ready.success) return notReady(url, Unready.loose().safeParse(readiness).data);
    const { info } = (await json(call, `${url}/openapi.json`)) as { info: { version: string } };
    const found = `${url}, version ${info.version}`;
    if (info.version === version)
      return { name, status: 'ok', found, meaning: 'it answers, and takes calls' };
    return {
      ...{ name, status: 'limited', found: `${found}; this is ${version}` },
      meaning: 'it takes calls, and goes on as the version that it was started as',
      fix: 'Restart the daemon',
    };
  } catch (error) {
    const { message, cause } = error as Error;
    return {
      ...{
        name,
        status: 'missing',
        found: `${url} does not answer: ${cause instanceof Error ? cause.message : message}`,
      },
      meaning: 'no call reaches it',
      fix: 'Look whether its process hangs, and at its log; restart it. From elsewhere: whether a proxy or a firewall stands between',
    };
  }
}

function notReady(url: string, unready: z.output<typeof Unready> | undefined): DoctorCheck {
  const parts = Object.entries(unready?.checks ?? {}).filter(
    ([, found]) => found !== 'ok' && found !== 'low',
  );
  const why = [
    unready?.code ?? 'no readiness that is known',
    ...parts.map(([part, code]) => `${part}: ${code}`),
  ];
  return {
    ...{ name, status: 'missing', found: `${url} refuses calls: ${why.join(', ')}` },
    meaning: 'it lives, and calls are refused with that code',
    fix: 'The other checks say more where it is about this machine; so does its log',
  };
}

async function json(call: typeof fetch, address: string): Promise<unknown> {
  return (await call(address, { signal: AbortSignal.timeout(waitMs) })).json();
}
