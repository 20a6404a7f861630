import { noCapabilities, type Proposal } from '@ambit/core/policy';
import type { ChangedFile } from '@ambit/server/propose';
import { describe, expect, test } from 'vitest';
import type { GlobalFlags } from '../../command/define-command.ts';
import { printer } from '../../output/printer.ts';
import { skill, terminalOf } from '../../testing/run-ambit.ts';
import { patchOf, printProposal } from './print-proposal.ts';

const [first, last] = ['2026-01-02T03:04:05.000Z', '2026-01-03T03:04:05.000Z'];

const nothing: Proposal = {
  skill: 'docx',
  digest: 'sha256:docx',
  tier: 'local',
  records: { count: 3, refused: 0, first, last, more: false, cut: false },
  items: [],
  grant: noCapabilities,
  requests: [],
  excluded: [],
  unused: [],
};

const item: Proposal['items'][number] = {
  capability: 'network',
  item: 'a.example:443',
  calls: 2,
  first,
  last,
  from: 'refusal',
  grant: true,
  scripts: [null],
  warning: null,
  broad: false,
};

const home: Proposal['items'][number] = {
  ...item,
  capability: 'filesystem.read',
  item: '/home/ada',
  from: 'output',
  scripts: [],
  warning: 'opens the home folder /home/ada',
  broad: true,
};

const changes: ChangedFile[] = [
  { path: '/work/shop/ambit.config.yaml', before: 'a: 1\n', after: 'a: 1\nb: 2\n' },
  { path: '/work/skills/docx/ambit.yaml', before: undefined, after: 'c: 3\n' },
];

const docx = { ...skill('docx', { run: { runtime: 'process' } }), root: '/work/skills/docx' };

/** The output of `ambit skills propose docx` in `/work/shop`, for this proposal and these changed files. */
function printed(
  proposal: Partial<Proposal>,
  files: readonly ChangedFile[] = [],
  {
    done,
    broad = false,
    isTTY = true,
    ...flags
  }: GlobalFlags & { done?: readonly string[]; broad?: boolean; isTTY?: boolean } = {},
) {
  const { terminal, written } = terminalOf({ cwd: '/work/shop', stdinIsTerminal: isTTY });
  const context = { terminal, flags, configFile: flags.config, print: printer(terminal, flags) };
  const found = {
    skill: docx,
    proposal: { ...nothing, ...proposal },
    changes: files,
    review: '0123456789abcdef',
    upstream: [],
    unmet: [],
  };
  const patch = patchOf(files, '/work/shop');
  printProposal(context, { ran: undefined, found, patch, done }, { broad });
  return written;
}

const found = {
  records: { ...nothing.records, refused: 2 },
  items: [item, home],
  requests: [{ script: null, capabilities: noCapabilities }],
};

const patch = `--- shop/ambit.config.yaml
+++ shop/ambit.config.yaml
@@ -1,1 +1,2 @@
 a: 1
+b: 2
--- /dev/null
+++ skills/docx/ambit.yaml
@@ -0,0 +1,1 @@
+c: 3
`;

test('prints the change as a patch, and explains it on stderr', () => {
  expect(printed(found, changes)).toEqual({
    stdout: patch,
    stderr: `Read 3 records of docx, from ${first} to ${last}.
2 calls lacked something.

Each item is a decision: a skill can cause refusals on purpose. Grant only what its work explains.
"printed" items come from error messages of the skill, which can print anything.
CALLS  FIRST                     LAST                      HOW      MISSING IN      ITEM
2      ${first}  ${last}  refused  grant, request  network a.example:443
2      ${first}  ${last}  printed  grant           filesystem.read /home/ada
warning: filesystem.read /home/ada opens the home folder /home/ada (broad)

The change leaves out 1 broad item. To include broad items, add --broad.

To apply the change, add --write, or pipe it to: patch -p0 -d /work
Next: ambit skills propose docx --write
`,
  });
});

test('an applied change is not printed as a patch, and names what follows', () => {
  const done = ['Changed /work/shop/ambit.config.yaml.', 'The running daemon uses it now.'];
  const ran = printed(found, changes, { done, broad: true });
  expect(ran.stdout).toBe('');
  expect(ran.stderr.split('\n\n').at(-1)).toBe(`Changed /work/shop/ambit.config.yaml.
The running daemon uses it now.
docx has a new digest, because its ambit.yaml changed.
Next: ambit run docx
`);
});

test('without a terminal, a person decides whether to apply the change', () => {
  const shown = printed(found, changes, { isTTY: false });
  expect(shown.stdout).toBe(patch);
  expect(shown.stderr.split('\n\n').at(-1)).toBe(
    'A person decides, in a terminal, whether to apply the change.\n',
  );
});

test('--json prints the proposal with the patches', () => {
  const { stdout, stderr } = printed(found, changes.slice(0, 1), { json: true });
  expect({ stderr, ...JSON.parse(stdout) }).toEqual({
    stderr: '',
    ...nothing,
    ...found,
    review: '0123456789abcdef',
    written: false,
    files: [
      {
        path: '/work/shop/ambit.config.yaml',
        diff: '--- ambit.config.yaml\n+++ ambit.config.yaml\n@@ -1,1 +1,2 @@\n a: 1\n+b: 2\n',
      },
    ],
  });
});

describe('without a change', () => {
  test('lists what is not proposed, and what is never used', () => {
    const excluded = [
      {
        capability: 'network' as const,
        item: 'b.example',
        calls: 1,
        first,
        last,
        reason: 'is denied by the rule b.example',
        remedy: 'remove deny rule network: b.example',
      },
    ];
    const unused = [{ capability: 'env' as const, item: 'TZ' }];
    const { stderr } = printed({ records: { ...nothing.records, more: true }, excluded, unused });
    expect(stderr).toBe(`Read 3 records of docx, from ${first} to ${last}, and left out older ones.
0 calls lacked something.

Not proposed:
  network b.example is denied by the rule b.example (1 call, last ${last}). To change that: remove deny rule network: b.example

Granted, but used by none of these calls. Consider removing each here and in the request of the skill:
  env TZ
Next: ambit audit --skill docx
`);
  });
});

test('a folder whose name could change the patch is refused', () => {
  const odd = { path: '/work/a\n+++ b/ambit.yaml', before: 'a: 1\n', after: 'a: 2\n' };
  expect(() => patchOf([...changes, odd], '/work/shop')).toThrow(
    expect.objectContaining({
      code: 'USAGE_INVALID',
      message: expect.stringContaining('cannot write a patch for "/work/a\\n+++ b/ambit.yaml"'),
    }),
  );
});

test('text of a skill cannot control the terminal', () => {
  const { stderr } = printed({ ...found, items: [{ ...item, item: '/srv/\u001b[2Jx\n\u202ey' }] });
  expect(stderr).toContain('network /srv/\uFFFD[2Jx \uFFFDy\n');
});
