import { SkillId } from '@ambit/core/skill';
import { z } from 'zod';

/**
 * SQLite tracks the frames of its write-ahead log in `-shm`, and allocates more of that file after
 * 4062 frames.
 */
export const reserveBytesMax = 16_000_000;

const freeBytes = z.int('write a number of bytes').min(0, 'write a positive number, or 0 to disable it');
const Payloads = z.enum(['digest', 'preview', 'full']);

/** The keys of `audit` in a configuration file. `path` is the schema of a path. */
export function auditKeys(path: z.ZodType<string>) {
  return z.strictObject({
    payloads: Payloads.optional(),
    skills: z.record(SkillId, z.strictObject({ payloads: Payloads })).optional(),
    previewCharacters: z
      .int('write a number of characters')
      .min(1, 'write a positive number, or payloads: digest to store nothing')
      .max(100_000, 'the maximum is 100000; write payloads: full to store more')
      .optional(),
    fullBytes: z
      .int('write a number of bytes')
      .min(1, 'write a positive number, or payloads: digest to store nothing')
      .max(64 * 1024 * 1024, 'the maximum is 67108864')
      .optional(),
    retentionDays: z
      .number('write a number of days')
      .positive('write a positive number of days, or omit this key to remove nothing by age')
      .max(36_500, 'the maximum is 36500; omit this key to remove nothing by age')
      .optional(),
    retentionBytes: z
      .int('write a number of bytes')
      .min(1024 * 1024, 'the minimum is 1048576, because an empty log needs part of it')
      .optional(),
    prune: z.enum(['payloads', 'events']).optional(),
    checkpoints: z
      .union(
        [z.strictObject({ file: path }), z.strictObject({ command: z.array(z.string()).min(1) })],
        'write { file: PATH } or { command: [PROGRAM, ARGUMENT, …] }',
      )
      .optional(),
    warnFreeBytes: freeBytes.optional(),
    minFreeBytes: freeBytes.optional(),
    reserveBytes: z
      .int('write a number of bytes')
      .min(0, 'write a positive number, or 0 for no reserve')
      .max(reserveBytesMax, `the maximum is ${reserveBytesMax}`)
      .optional(),
  });
}
