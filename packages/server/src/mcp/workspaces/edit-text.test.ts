// Threat model: T336

import { expect, test } from 'vitest';
import { editedBytesMax, editText, type TextEdit } from './edit-text.ts';

const edited = async (text: string | Buffer, ...edits: TextEdit[]) =>
  Buffer.from(await editText('f', Buffer.from(text), edits)).toString();

test('applies each edit to the result of the previous one, with its new text taken literally', async () => {
  expect(
    await edited(
      '\uFEFF<w:t>Hallo</w:t>\r\n',
      { oldText: 'Hallo', newText: '$& Grüße' },
      { oldText: 'Grüße<', newText: '<' },
    ),
  ).toBe('\uFEFF<w:t>$& </w:t>\r\n');
});

test.each([
  ['is missing', 'abc', 'd', /^nothing was changed: the oldText of edits\[1\] is not in "f"/],
  ['occurs twice', 'a b a', 'a', /occurs more than once in "f"/],
  ['occurs twice, overlapping', 'aabaabaa', 'aabaa', /occurs more than once in "f"/],
])('refuses an edit whose text %s', async (_, text, oldText, why) => {
  const first = { oldText: text, newText: text };
  await expect(edited(text, first, { oldText, newText: '' })).rejects.toThrow(why);
  expect(await edited(text, first)).toBe(text);
});

test('refuses to edit files that are not text or too large', async () => {
  const edit = { oldText: 'end', newText: 'fin' };
  await expect(edited(Buffer.from([0xff, ...Buffer.from('end')]), edit)).rejects.toThrow('not UTF-8 text');
  const longest = `${'a'.repeat(editedBytesMax - 3)}end`;
  expect((await edited(longest, edit)).endsWith('afin')).toBe(true);
  await expect(edited(`a${longest}`, edit)).rejects.toThrow(
    `larger than the limit of ${editedBytesMax} bytes`,
  );
});

test('refuses a text made to be slow to search like any other missing text', async () => {
  // Compared from its end at each of four million positions, it would take trillions of steps.
  const oldText = `b${'a'.repeat(editedBytesMax / 2)}`;
  const missing = edited('a'.repeat(editedBytesMax), { oldText, newText: '' });
  await expect(missing).rejects.toThrow('is not in "f"');
});
