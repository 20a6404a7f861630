import { liesWithin } from '@ambit/core/internal';
import type { Scanner } from '@ambit/installs';
import { z } from 'zod';

const Program = z
  .string()
  .regex(/^[A-Za-z0-9][\w.+-]*$/, 'write the name of a program, without its folder')
  .max(100, 'the maximum is 100 characters');

/** A scanner that is given its working directory would read an empty folder, and find nothing. */
const Argument = z
  .string()
  .max(4096)
  .refine(
    (each) => !/^\.\/?$/.test(each),
    'write /skill: the scanner does not start in the folder of the skill',
  );

/** The `installs.scanners` of a configuration file. `path` is the schema of a path. */
export function scannerKeys(path: z.ZodType<string>) {
  const Scanner = z
    .strictObject({
      name: z
        .string()
        .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'write lower-case letters, digits and single hyphens')
        .max(64, 'the maximum is 64 characters'),
      command: z.tuple([z.string().min(1)], Argument, 'write [PROGRAM, ARGUMENT, …]'),
      paths: z
        .array(path.refine((each) => each !== '/', 'write a folder below /'))
        .max(32)
        .default([]),
      programs: z.array(Program).max(32).default([]),
      timeoutSeconds: z
        .int('write a number of seconds')
        .min(1, 'the minimum is 1')
        .max(600, 'the maximum is 600')
        .default(60),
    })
    .refine(
      ({ command: [program], paths }) =>
        program.startsWith('/')
          ? paths.some((each) => liesWithin(program, each))
          : Program.safeParse(program).success,
      {
        path: ['command'],
        message: 'write the name of a program, or its absolute path within paths',
      },
    );
  return z
    .array(Scanner)
    .max(16, 'the maximum is 16 scanners')
    .superRefine((all, context) => {
      for (const [at, { name }] of all.entries())
        if (all.findIndex((each) => each.name === name) !== at)
          context.addIssue({ code: 'custom', path: [at, 'name'], message: `${name} is listed twice` });
    }) satisfies z.ZodType<readonly Scanner[]>;
}
