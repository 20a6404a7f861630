import { bundledSkills } from '@ambit/server/config';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { runAmbit } from '../../testing/run-ambit.ts';

const files = {
  'a/SKILL.md':
    '---\nname: a\ndescription: Counts words, lines and characters of texts.\n---\n# A\nSee assets/.\n\n### B\n',
  'a/assets/notes.md': '',
  'a/references/b.md': '',
};

test('the bundled skills have no findings', async () => {
  const { exitCode, stdout } = await runAmbit(['skills', 'lint', bundledSkills, '--strict', '--json']);
  const { clean, folders } = JSON.parse(stdout);
  expect({
    exitCode,
    clean,
    findings: folders.flatMap(({ findings }: { findings: object[] }) => findings),
  }).toEqual({
    exitCode: 0,
    clean: true,
    findings: [],
  });
});

test('findings exit with 0, and with 3 under --strict', async () => {
  const cwd = await temporaryFolder(files);
  const text = `${cwd}/a  12 tokens in the listing, 9 in the body
  warning  SKILL.md:3: the description does not say when to use the skill; add a sentence such as "Use it when …" [description-when]
  advice   SKILL.md:8: a heading of level 3 follows one of level 1; make it level 2 [heading-skip]
  advice   references/b.md: nothing in the skill mentions this file; say in SKILL.md when to open it, or remove it [file-unmentioned]
1 skill: 1 warning, 2 suggestions
`;
  expect(await runAmbit('skills lint a', { cwd })).toEqual({ exitCode: 0, stdout: text, stderr: '' });
  expect(await runAmbit('skills lint a --strict', { cwd })).toEqual({
    exitCode: 3,
    stdout: text,
    stderr: '',
  });
});

test('--json prints the parts of each finding, and a folder without a skill has one finding', async () => {
  const cwd = await temporaryFolder({ ...files, 'none/README.md': '' });
  const { exitCode, stdout } = await runAmbit('skills lint none a --json', { cwd });
  expect({ exitCode, ...JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    clean: false,
    folders: [
      {
        folder: `${cwd}/none`,
        findings: [
          {
            rule: 'unreadable',
            severity: 'warning',
            file: 'SKILL.md',
            line: null,
            message: `no SKILL.md here or in a folder directly below. For details, run: ambit skills validate ${cwd}/none`,
          },
        ],
        tokens: { metadata: 0, body: 0 },
      },
      { folder: `${cwd}/a`, findings: expect.any(Array), tokens: { metadata: 12, body: 9 } },
    ],
  });
});
