import type { DoctorCheck } from '@ambit/server/doctor';
import { expect, test } from 'vitest';
import { checkText, isBlocked } from './doctor.ts';

const sandbox: DoctorCheck = {
  name: 'process sandbox',
  status: 'ok',
  found: 'bubblewrap 0.11.0',
  meaning: 'Process skills run.',
};
const cgroups: DoctorCheck = {
  name: 'cgroups',
  status: 'limited',
  found: 'not delegated',
  meaning: 'Memory is bounded for each process, not for all of a call.',
  fix: 'loginctl enable-linger\nthen log in again',
};

test('prints the finding, meaning and fix of each check', () => {
  const print = { style: (_: unknown, text: string) => text };
  expect([sandbox, cgroups].flatMap((check) => checkText(print, check))).toEqual([
    'ok       process sandbox: bubblewrap 0.11.0',
    '         Process skills run.',
    'limited  cgroups: not delegated',
    '         Memory is bounded for each process, not for all of a call.',
    '         To fix it: loginctl enable-linger',
    '         then log in again',
  ]);
});

test('calls are refused without the process sandbox, and not without other features', () => {
  const missing = (name: string): boolean => isBlocked({ checks: [{ ...sandbox, name, status: 'missing' }] });
  expect([missing('process sandbox'), missing('python3'), isBlocked({ checks: [sandbox, cgroups] })]).toEqual(
    [true, false, false],
  );
});
