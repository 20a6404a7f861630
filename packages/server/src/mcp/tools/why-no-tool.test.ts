import { expect, test } from 'vitest';
import { someSkill } from '../../testing/some-skill.ts';
import { whyNoTool } from './why-no-tool.ts';

const stranger = (interpreter: string) =>
  someSkill('stranger', '', { tier: 'untrusted', scripts: [{ path: 'scripts/run', interpreter }] });

test('a refusal names the setting for Python, and the tier for other programs', () => {
  const why = (interpreter: string) => whyNoTool(stranger(interpreter), { untrustedTools: false })?.message;
  const start =
    'stranger is untrusted, and untrusted skills do not run over MCP. The operator can allow it in ambit.config.yaml: ';
  expect([why('python3'), why('sh')]).toEqual([
    `${start}mcp: { untrustedTools: true }`,
    `${start}skills: [{ path: FOLDER, tier: verified }], if they trust its source. "ambit skills show stranger" prints FOLDER`,
  ]);
});

test('untrusted Python runs over MCP once the operator allows untrusted tools', () => {
  expect(whyNoTool(stranger('python3'), { untrustedTools: true })).toBeUndefined();
});
