import { contentsBounds } from '@ambit/core/internal';
import { z } from 'zod';
import type { WorkspaceSettings } from '../config.ts';

const bytes = z
  .int('write a number of bytes')
  .min(1, 'write a number of bytes above 0')
  .max(
    contentsBounds.quotaBytes,
    `a workspace has at most ${contentsBounds.quotaBytes} bytes: as much is read back from a run`,
  )
  .optional();
const seconds = z
  .int('write a number of seconds')
  .min(1, 'write a number of seconds above 0')
  .max(31_536_000, 'a workspace is kept for at most a year after its last use')
  .optional();

/** What a configuration file may say under `workspaces`. Absent: the default. */
export const workspaceKeys = z
  .strictObject({
    most: z
      .int('write a number of workspaces')
      .min(0, 'write a number of workspaces; 0 for none')
      .max(10_000)
      .optional(),
    quotaBytes: bytes,
    maxQuotaBytes: bytes,
    expiresAfterSeconds: seconds,
    maxExpiresAfterSeconds: seconds,
  })
  .refine(({ quotaBytes = 0, maxQuotaBytes = Infinity }) => quotaBytes <= maxQuotaBytes, {
    path: ['quotaBytes'],
    message: 'write at most what maxQuotaBytes says',
  })
  .refine(
    ({ expiresAfterSeconds = 0, maxExpiresAfterSeconds = Infinity }) =>
      expiresAfterSeconds <= maxExpiresAfterSeconds,
    {
      path: ['expiresAfterSeconds'],
      message: 'write at most what maxExpiresAfterSeconds says',
    },
  );

export const workspaceDefaults: WorkspaceSettings = {
  most: 32,
  quotaBytes: 8 * 1024 * 1024,
  maxQuotaBytes: contentsBounds.quotaBytes,
  expiresAfterSeconds: 24 * 60 * 60,
  maxExpiresAfterSeconds: 30 * 24 * 60 * 60,
};

/** What holds where a file says nothing of it: a default is never beyond the most that the file allows. */
export function workspaceDefaultsFor(file: z.output<typeof workspaceKeys> = {}): WorkspaceSettings {
  const { quotaBytes, expiresAfterSeconds, maxExpiresAfterSeconds, ...others } = workspaceDefaults;
  return {
    ...others,
    quotaBytes: Math.min(quotaBytes, file.maxQuotaBytes ?? quotaBytes),
    expiresAfterSeconds: Math.min(expiresAfterSeconds, file.maxExpiresAfterSeconds ?? expiresAfterSeconds),
    maxExpiresAfterSeconds: Math.max(maxExpiresAfterSeconds, file.expiresAfterSeconds ?? 0),
  };
}
