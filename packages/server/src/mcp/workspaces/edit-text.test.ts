import { expect, test } from 'vitest';
import { editedBytesMax, editText, type TextEdit } from './edit-text.ts';

const edited = async (text: string | Buffer, ...edits: TextEdit[]) =>
  Buffer.from(await editText('f', Buffer.from(text), edits)).toString();

test('each edit is made on what the one before left, and its new text is taken literally', async () => {
  expect(
    await edited(
      '\uFEFF<w:t>Hallo</w:t>\r\n',
      { oldText: 'Hallo', newText: '$& Grüße' },
      { oldText: 'Grüße<', newText: '<' },
    ),
  ).toBe('\uFEFF<w:t>$& </w:t>\r\n');
});

test.each([
  ['is not there', 'abc', 'd', /^nothing was changed, because the oldText of edits\[1\] is not in "f"/],
  ['is there twice', 'a b a', 'a', /is in "f" more than once/],
  ['is there twice, overlapping', 'aabaabaa', 'aabaa', /is in "f" more than once/],
])('an edit whose text %s is refused', async (_, text, oldText, why) => {
  const first = { oldText: text, newText: text };
  await expect(edited(text, first, { oldText, newText: '' })).rejects.toThrow(why);
  expect(await edited(text, first)).toBe(text);
});

test('what is not text, or is longer than is searched, is not edited', async () => {
  const edit = { oldText: 'end', newText: 'fin' };
  await expect(edited(Buffer.from([0xff, ...Buffer.from('end')]), edit)).rejects.toThrow('not text in UTF-8');
  const longest = `${'a'.repeat(editedBytesMax - 3)}end`;
  expect((await edited(longest, edit)).endsWith('afin')).toBe(true);
  await expect(edited(`a${longest}`, edit)).rejects.toThrow(`and up to ${editedBytesMax} are edited`);
});

test('a text made to be searched slowly is refused like any other that is not there', async () => {
  // Compared from its end at each of four million places, it would take trillions of steps.
  const oldText = `b${'a'.repeat(editedBytesMax / 2)}`;
  const missing = edited('a'.repeat(editedBytesMax), { oldText, newText: '' });
  await expect(missing).rejects.toThrow('is not in "f"');
});
