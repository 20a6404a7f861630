// Threat model: T388
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what instructions write

import { describe, expect, test } from 'vitest';
import { someSkill } from '../testing/some-skill.ts';
import { filledBody } from './filled-body.ts';

const files = ['scripts/x.py', 'references/a.md'].map((path) => ({ path, bytes: 1, sha256: '' }));
const filled = (body: string, given: Parameters<typeof filledBody>[1] = {}) =>
  filledBody({ ...someSkill('docx', { body, files }), root: '/srv/docx' }, given);

describe('instructions', () => {
  test.each([
    ['run ${CLAUDE_SKILL_DIR}/scripts/x.py', 'run /srv/docx/scripts/x.py'],
    ['run `python3 {baseDir}/scripts/x.py`', 'run `python3 /srv/docx/scripts/x.py`'],
    ['read <SKILL_DIR>/references/a.md', 'read /srv/docx/references/a.md'],
    ['cd "$SKILL_DIR"', 'cd "/srv/docx"'],
    ['${CLAUDE_PLUGIN_ROOT}/skills/docx/scripts/x.py', '/srv/docx/scripts/x.py'],
    ['${CLAUDE_PLUGIN_ROOT}/scripts/x.py.', '/srv/docx/scripts/x.py.'],
  ])('%j become %j', (body, text) => {
    expect(filled(body)).toEqual({ text, left: [] });
  });

  test.each([
    'const a = `${baseDir}/x`;',
    'echo $SKILL_DIRECTORY ${SKILL_DIR:-x}',
    'SKILL_DIR=$(pwd); python3 $SKILL_DIR/scripts/x.py',
    "```sh\nawk '{print $1}' a\n```",
    'costs $1.50 and $15',
    'plain',
  ])('%j stay unchanged', (body) => {
    expect(filled(body, { task: 'one two' })).toEqual({ text: body, left: [] });
  });

  test('have the task and its words, which are inserted once', () => {
    const body = 'Do $ARGUMENTS: first $1, then $2, then $3; `$ARGUMENTS[0]` and `$1`.';
    expect(filled(body, { task: '"$2 a" $ARGUMENTS' }).text).toBe(
      'Do "$2 a" $ARGUMENTS: first $2 a, then $ARGUMENTS, then ; `$2 a` and `$1`.',
    );
  });

  test('have a long task as often as fits, and name the other places', () => {
    const task = 'a'.repeat(100 * 1024);
    const { text, left } = filled('$ARGUMENTS\n'.repeat(20_000), { task });
    expect(text).toBe(`${task}\n`.repeat(2) + '$ARGUMENTS\n'.repeat(19_998));
    expect(left).toEqual(['$ARGUMENTS']);
  });

  test('name what has no value', () => {
    const body = '${CLAUDE_PROJECT_DIR}/a $ARGUMENTS ${CLAUDE_PLUGIN_ROOT}/other/b.py';
    expect(filled(body)).toEqual({
      text: body,
      left: ['${CLAUDE_PROJECT_DIR}', '$ARGUMENTS', '${CLAUDE_PLUGIN_ROOT}'],
    });
  });
});
