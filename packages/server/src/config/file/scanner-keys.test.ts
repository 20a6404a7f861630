import { expect, test } from 'vitest';
import { parseConfigFile } from './config-file.ts';

function read(scanners: string) {
  const from = { folder: '/etc', home: '/home/ada' };
  return parseConfigFile(Buffer.from(`installs: { scanners: ${scanners} }`), '/etc/ambit.yaml', from);
}

test('a scanner is a program by its name, or by its path within its paths', () => {
  const { content, issues } = read(
    '[{ name: a, command: [semgrep, scan, /skill], timeoutSeconds: 600 }, { name: b, command: [/opt/scan/bin/scan], paths: [/opt/scan], programs: [python3] }]',
  );
  expect(issues).toEqual([]);
  expect(content.installs?.scanners).toEqual([
    { name: 'a', command: ['semgrep', 'scan', '/skill'], paths: [], programs: [], timeoutSeconds: 600 },
    {
      ...{ name: 'b', command: ['/opt/scan/bin/scan'], paths: ['/opt/scan'], programs: ['python3'] },
      timeoutSeconds: 60,
    },
  ]);
});

test.each([
  ['no command', '[{ name: a, command: [] }]', '0.command.0 is missing; write a string'],
  [
    'a command line in one text',
    '[{ name: a, command: [semgrep scan .] }]',
    '0.command: write the name of a program, or its absolute path within paths',
  ],
  [
    'a relative path',
    '[{ name: a, command: [./scan], paths: [.] }]',
    '0.command: write the name of a program, or its absolute path within paths',
  ],
  [
    'a path outside its paths',
    '[{ name: a, command: [/opt/scan] }]',
    '0.command: write the name of a program, or its absolute path within paths',
  ],
  ['the whole machine', '[{ name: a, command: [x], paths: [/] }]', '0.paths.0: write a folder below /'],
  [
    'a name with an escape',
    '[{ name: "a\\e[2J", command: [x] }]',
    '0.name: write lower-case letters, digits and single hyphens',
  ],
  [
    'the working directory as an argument',
    '[{ name: a, command: [x, .] }]',
    '0.command.1: write /skill: the scanner does not start in the folder of the skill',
  ],
  ['a name twice', '[{ name: a, command: [x] }, { name: a, command: [y] }]', '1.name: a is listed twice'],
  ['a day', '[{ name: a, command: [x], timeoutSeconds: 86400 }]', '0.timeoutSeconds: the maximum is 600'],
])('refuses %s', (_, yaml, issue) => {
  expect(read(yaml).issues).toEqual([`/etc/ambit.yaml: installs.scanners.${issue}`]);
});
