import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { walkLog } from '../../packages/server/src/audit/testing/walk-log.ts';
import { type Daemon, daemonProcess } from './daemon-process.ts';
import { pythonSkill, writeSkills } from './skills.ts';
import { sqlite } from './sqlite.ts';

/**
 * The target of `NODE_EXTRA_CA_CERTS`: several megabytes, a pipe that is written slowly, or a
 * missing file.
 */
export const certificateFiles = ['bundle', 'pipe', 'missing'] as const;
export type CertificateFile = (typeof certificateFiles)[number];

/** A daemon whose Node reads certificates in a thread while the daemon opens its files. */
export interface CertificateStart {
  daemon: Daemon;
  /** Completes the reading and resolves when the thread has closed its file. */
  finishReading(): Promise<void>;
}

const certificates = rootCertificates.join('\n');

/** Lists the targets of all descriptors beyond the standard three, without the listing's own. */
const listing = `
open = {}
for number in os.listdir('/proc/self/fd'):
    try:
        open[number] = os.readlink(f'/proc/self/fd/{number}')
    except OSError:
        pass
print(json.dumps({'beyond': sorted(target for number, target in open.items() if int(number) > 2)}))`;

/** Starts a daemon in `folder` that can run `descriptors`. Data of an earlier start is reused. */
export async function startWithCertificates(
  folder: string,
  kind: CertificateFile,
): Promise<CertificateStart> {
  const file = join(folder, kind);
  await rm(file, { force: true });
  if (kind === 'bundle') await writeFile(file, `${certificates}\n`.repeat(20));
  if (kind === 'pipe') execFileSync('mkfifo', [file]);
  await writeSkills(join(folder, 'skills'), { descriptors: pythonSkill(listing) });
  const config = { skills: [{ path: join(folder, 'skills'), tier: 'local' }], logLevel: 'error' };
  const grants = { descriptors: { exec: ['python3'] } };
  // Opening a pipe for writing waits for its reader.
  const writing = kind === 'pipe' ? open(file, 'w') : undefined;
  const daemon = await daemonProcess(folder, { ...config, grants }, { env: { NODE_EXTRA_CA_CERTS: file } });
  const pipe = await writing;
  return {
    daemon,
    async finishReading() {
      await finish(pipe);
      while (hasOpen(daemon.pid, file)) await delay(5);
    },
  };
}

/**
 * A start and stop, with calls during and after the reading of certificates. Resolves to a list of
 * problems.
 */
export async function certificateRound(folder: string, kind: CertificateFile): Promise<string[]> {
  const wrong: string[] = [];
  const { daemon, finishReading } = await startWithCertificates(folder, kind);
  try {
    const call = async (when: string): Promise<void> => {
      const { status, body } = await daemon.execute('descriptors', { input: {} });
      const answered = JSON.stringify([status, body.outcome?.output]);
      if (answered !== '[200,{"beyond":[]}]') wrong.push(`a call ${when} was answered with ${answered}`);
    };
    await call('while certificates were read');
    await finishReading();
    await call('after certificates were read');
    if (!isLocked(join(daemon.dataDir, 'lock'))) wrong.push('the data directory was free');
  } finally {
    await daemon.stop();
  }
  return [...wrong, ...walkLog(join(daemon.dataDir, 'audit.db')).flaws];
}

/** Whether this process cannot acquire the lock. */
function isLocked(file: string): boolean {
  try {
    sqlite(file, 'BEGIN EXCLUSIVE; ROLLBACK;');
    return false;
  } catch (error) {
    if (error instanceof Error && error.message === 'database is locked') return true;
    throw error;
  }
}

async function finish(pipe: FileHandle | undefined): Promise<void> {
  if (pipe === undefined) return;
  await pipe.writeFile(`${certificates}\n`);
  await pipe.close();
}

function hasOpen(pid: number, file: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((descriptor) => {
    try {
      return readlinkSync(join(folder, descriptor)) === file;
    } catch {
      // Closed after it was listed.
      return false;
    }
  });
}
