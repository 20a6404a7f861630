import { SkillId } from '@ambit/core/skill';
import { z } from 'zod';
import { orNull, section } from '../keys.ts';

/**
 * SQLite tracks the frames of its write-ahead log in `-shm`, and allocates more of that file after
 * 4062 frames.
 */
const reserveBytesMax = 16_000_000;

const freeBytes = z.int('write a number of bytes').min(0, 'write a positive number, or 0 to disable it');
const Payloads = z.enum(['digest', 'preview', 'full']);

/** The keys of `audit`. `path` is the schema of a path. */
export function auditKeys(path: z.ZodType<string>) {
  return section(
    z.strictObject({
      payloads: Payloads.default('preview').describe(
        'how much of inputs and outputs is [stored](audit.md#payloads): `digest`, `preview` or `full`',
      ),
      skills: z
        .record(SkillId, z.strictObject({ payloads: Payloads }))
        .default({})
        .describe('by skill id: `{ payloads }`, the same for one skill'),
      previewCharacters: z
        .int('write a number of characters')
        .min(1, 'write a positive number, or payloads: digest to store nothing')
        .max(100_000, 'the maximum is 100000; write payloads: full to store more')
        .default(1000)
        .describe('with `preview`: the maximum characters stored of each payload, up to 100000'),
      fullBytes: z
        .int('write a number of bytes')
        .min(1, 'write a positive number, or payloads: digest to store nothing')
        .max(64 * 1024 * 1024, 'the maximum is 67108864')
        .default(1024 * 1024)
        .describe('with `full`: the maximum bytes stored of each payload, up to 67108864'),
      retentionDays: orNull(
        z
          .number('write a number of days')
          .positive('write a positive number of days, or omit this key to remove nothing by age')
          .max(36_500, 'the maximum is 36500; omit this key to remove nothing by age'),
      ).describe('the [retention](audit.md#retention) by age; without it nothing is removed by age'),
      retentionBytes: orNull(
        z
          .int('write a number of bytes')
          .min(1024 * 1024, 'the minimum is 1048576, because an empty log needs part of it'),
      ).describe('the [retention](audit.md#retention) by size; without it nothing is removed by size'),
      prune: z
        .enum(['payloads', 'events'])
        .default('payloads')
        .describe('what retention removes: `payloads`, or whole `events`'),
      checkpoints: orNull(
        z.union(
          [z.strictObject({ file: path }), z.strictObject({ command: z.array(z.string()).min(1) })],
          'write { file: PATH } or { command: [PROGRAM, ARGUMENT, …] }',
        ),
      ).meta({
        description:
          "where to copy the log's [checkpoints](audit.md#external-checkpoints), its signatures: `{ file }` or `{ command }`",
        needsRestart: true,
      }),
      warnFreeBytes: freeBytes.default(1024 ** 3).meta({
        description:
          "free bytes on the log's file system, below which `/readyz` and the daemon's log [warn](operations.md#full-disk)",
        needsRestart: true,
      }),
      minFreeBytes: freeBytes.default(16 * 1024 ** 2).meta({
        description: "free bytes on the log's file system, below which new calls are refused",
        needsRestart: true,
      }),
      reserveBytes: z
        .int('write a number of bytes')
        .min(0, 'write a positive number, or 0 for no reserve')
        .max(reserveBytesMax, `the maximum is ${reserveBytesMax}`)
        .default(reserveBytesMax)
        .meta({
          description:
            'bytes allocated ahead, to record the ends of running calls on a full disk; at most 16000000, 0 for none',
          needsRestart: true,
        }),
    }),
  );
}
