import { expect, test } from 'vitest';
import { editedBytesMax, editText, type TextEdit } from './edit-text.ts';

const edited = (text: string | Buffer, ...edits: TextEdit[]) =>
  Buffer.from(editText('f', Buffer.from(text), edits)).toString();

test('each edit is made on what the one before left, and its new text is taken literally', () => {
  expect(
    edited(
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
])('an edit whose text %s is refused', (_, text, oldText, why) => {
  const first = { oldText: text, newText: text };
  expect(() => edited(text, first, { oldText, newText: '' })).toThrow(why);
  expect(edited(text, first)).toBe(text);
});

test('what is not text, or is longer than is searched, is not edited', () => {
  const edit = { oldText: 'end', newText: 'fin' };
  expect(() => edited(Buffer.from([0xff, ...Buffer.from('end')]), edit)).toThrow('is not text in UTF-8');
  const longest = `${'a'.repeat(editedBytesMax - 3)}end`;
  expect(edited(longest, edit).endsWith('afin')).toBe(true);
  expect(() => edited(`a${longest}`, edit)).toThrow(`and up to ${editedBytesMax} are edited`);
});
