import type { RunningDaemon } from '@ambit/server/app';
import { expect, test } from 'vitest';
import { skill } from '../../testing/run-ambit.ts';
import { startBanner, startReport } from './start-banner.ts';

const walls = { works: true, name: 'bubblewrap' } as const;
const none = { works: false, detail: 'bwrap is not there', fix: 'apt-get install bubblewrap' } as const;

const daemon: Omit<RunningDaemon, 'close' | 'reload'> = {
  url: 'http://127.0.0.1:40123',
  skills: [
    skill('csv-profile', { run: { runtime: 'process' } }),
    skill('stranger', { run: { runtime: 'process' }, tier: 'untrusted' }),
    skill('text-redact', { run: { runtime: 'wasm' } }),
    skill('code-review'),
  ],
  broken: [],
  sandboxes: { process: walls, wasm: walls },
  keyFile: '/srv/ambit/key',
  auditFile: '/srv/ambit/audit.db',
};

test('lists unusable folders with their problem, and missing sandboxes with the fix', () => {
  const broken = [
    { id: 'a', root: '/skills/a', problem: 'SKILL.md has no description' },
    { id: 'b', root: '/skills/b', problem: 'it says \u001b[2J\nand more' },
  ];
  const report = startReport({ ...daemon, broken, sandboxes: { process: none, wasm: none } });
  expect(startBanner(report)).toEqual([
    'Ambit is listening on http://127.0.0.1:40123',
    '',
    '  skills           4, 0 executable',
    '  unusable         2',
    '    /skills/a: SKILL.md has no description',
    '    /skills/b: it says \uFFFD[2J and more',
    '  process sandbox  none: bwrap is not there. Process skills are refused with SANDBOX_UNAVAILABLE. apt-get install bubblewrap',
    '  wasm sandbox     none: bwrap is not there. WASM skills are refused with SANDBOX_UNAVAILABLE. apt-get install bubblewrap',
    '  key file         /srv/ambit/key',
    '  audit log        /srv/ambit/audit.db',
    '',
    'Try it from another terminal:',
    '',
    "sed 's/^/Authorization: Bearer /' /srv/ambit/key | curl -s http://127.0.0.1:40123/skills -H @-",
  ]);
});

test('counts a skill as executable if its tier and its sandbox let it run', () => {
  const executable = (sandboxes: RunningDaemon['sandboxes']) => startReport({ ...daemon, sandboxes }).skills;
  expect(executable({ process: walls, wasm: walls })).toEqual({ total: 4, executable: 2 });
  expect(executable({ process: none, wasm: walls })).toEqual({ total: 4, executable: 1 });
});

test('counts an untrusted skill with Python as executable in WebAssembly, and one with a shell script as not', () => {
  const only = (interpreter: string) => {
    const scripts = [{ path: 'scripts/run', interpreter }];
    return startReport({ ...daemon, skills: [{ ...skill('stranger', { tier: 'untrusted' }), scripts }] });
  };
  expect([only('python3').skills, only('sh').skills]).toEqual([
    { total: 1, executable: 1 },
    { total: 1, executable: 0 },
  ]);
});

test('the command to paste calls an executable skill', () => {
  const json = "-H 'content-type: application/json'";
  const key = "sed 's/^/Authorization: Bearer /' /srv/ambit/key";
  const skills = 'http://127.0.0.1:40123/skills';
  const curl = (sandboxes: RunningDaemon['sandboxes']) => startReport({ ...daemon, sandboxes }).curl;
  expect(curl({ process: walls, wasm: walls })).toBe(
    `${key} | curl -s ${skills}/text-redact/execute -H @- ${json} -d '{"input":{"text":"mail me at ada@example.org"}}'`,
  );
  expect(curl({ process: walls, wasm: none })).toBe(
    `${key} | curl -s ${skills}/csv-profile/execute -H @- ${json} -d '{"input":{"csv":"city,seats\\nOslo,120\\nLima,80\\n"}}'`,
  );
});

test('the command to paste quotes the path of the key file', () => {
  expect(startReport({ ...daemon, skills: [], keyFile: "/home/ada's data/key" }).curl).toBe(
    `sed 's/^/Authorization: Bearer /' '/home/ada'\\''s data/key' | curl -s http://127.0.0.1:40123/skills -H @-`,
  );
});
