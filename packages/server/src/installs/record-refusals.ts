import type { RefusedInstall } from '@ambit/api';
import { CodedError, thrownText } from '@ambit/core/outcome';
import type { InstallerDeps } from './installer-deps.ts';
import type { Requester } from './installs.ts';
import { orStorageError } from './storage-error.ts';

/** More refusals of one change are only counted. */
const recordedMax = 100;

/** A caller can name a thousand skills, of any length. */
const subjectMax = 4096;

/** Makes a change, and records in the audit log that it was refused, or which skills it left out. */
export async function recordingRefusals<Result extends { refused?: readonly RefusedInstall[] }>(
  { append, now, config }: InstallerDeps,
  subject: string,
  { actor }: Requester,
  change: () => Promise<Result>,
): Promise<Result> {
  const record = async (refusals: readonly { folder: string | null; code: string; message: string }[]) => {
    const [recorded, count] = [refusals.slice(0, recordedMax), refusals.length];
    await append({
      kind: 'install.refused',
      time: now(),
      actor,
      subject: subject.slice(0, subjectMax),
      refusals: recorded,
      count,
    });
  };
  const result = await orStorageError(config().dataDir, change()).catch(async (error: unknown) => {
    if (error instanceof CodedError)
      // Without a record it is refused all the same.
      await record([{ folder: null, code: error.code, message: thrownText(error) }]).catch(() => undefined);
    throw error;
  });
  const { refused = [] } = result;
  if (refused.length > 0) await record(refused);
  return result;
}
