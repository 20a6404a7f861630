import { expect, test } from 'vitest';
import type { DoctorReport } from '../actions/doctor-report.ts';
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
      meaning: 'Process skills answer SANDBOX_UNAVAILABLE.',
    },
  ],
};

test('each check says what is there, what it means and how to mend it', async () => {
  expect(await doctor('doctor', healthy)).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `ok       process sandbox: bubblewrap 0.11.0
         Process skills run.
limited  cgroups: not delegated
         Memory is bounded for each process, not for all of a call.
         To mend it: loginctl enable-linger
         then log in again
`,
  });
});

test('a machine without the process sandbox ends with 4; one that lacks something else does not', async () => {
  const other: DoctorReport = {
    checks: [{ name: 'python3', status: 'missing', found: 'none', meaning: 'No Python skills.' }],
  };
  expect(await doctor('doctor', blocked)).toMatchObject({ exitCode: 4 });
  expect(await doctor('doctor', other)).toMatchObject({ exitCode: 0 });
});

test('with --json it is the report itself', async () => {
  expect(await doctor('doctor --json', blocked)).toEqual({
    exitCode: 4,
    stdout: `${JSON.stringify(blocked)}\n`,
    stderr: '',
  });
});
