import type { DoctorReport } from '@ambit/server/doctor';
import { expect, test } from 'vitest';
import { runAmbit } from '../testing/run-ambit.ts';

const doctor = (line: string, report: DoctorReport) =>
  runAmbit(line, { actions: { inspectMachine: async () => report } });

const healthy: DoctorReport = {
  checks: [
    { name: 'process sandbox', status: 'ok', found: 'bubblewrap 0.11.0', meaning: 'Process skills run.' },
    {
      name: 'cgroups',
      status: 'limited',
      found: 'not delegated',
      meaning: 'Memory is bounded for each process, not for all of a call.',
      fix: 'loginctl enable-linger\nthen log in again',
    },
  ],
};
const blocked: DoctorReport = {
  checks: [
    {
      name: 'process sandbox',
      status: 'missing',
      found: 'bwrap is not there',
      meaning: 'Process skills are refused with SANDBOX_UNAVAILABLE.',
    },
  ],
};

test('prints the finding, meaning and fix of each check', async () => {
  expect(await doctor('doctor', healthy)).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `ok       process sandbox: bubblewrap 0.11.0
         Process skills run.
limited  cgroups: not delegated
         Memory is bounded for each process, not for all of a call.
         To fix it: loginctl enable-linger
         then log in again
`,
  });
});

test('exits with 4 without the process sandbox, and with 0 without other features', async () => {
  const other: DoctorReport = {
    checks: [{ name: 'python3', status: 'missing', found: 'none', meaning: 'No Python skills.' }],
  };
  expect(await doctor('doctor', blocked)).toMatchObject({ exitCode: 4 });
  expect(await doctor('doctor', other)).toMatchObject({ exitCode: 0 });
});
