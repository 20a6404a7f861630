import { expect, test } from 'vitest';
import { partText, textAt } from './file-part.ts';

const readThrough = async (
  content: Buffer,
  length: number,
): Promise<{ parts: Buffer[]; texts: boolean[] }> => {
  const parts: Buffer[] = [];
  for (let offset = 0; offset < content.length; ) {
    const { bytes } = await textAt('f', content, { offset, length });
    parts.push(Buffer.from(bytes));
    offset += bytes.length;
  }
  return { parts, texts: parts.map((part) => Buffer.from(part.toString()).equals(part)) };
};

test.each([4, 5, 6, 7, 8, 100])(
  'text read %i bytes at a time is complete, in whole characters',
  async (length) => {
    const content = Buffer.from('aä€😀'.repeat(20));
    const { parts, texts } = await readThrough(content, length);
    expect(Buffer.concat(parts)).toEqual(content);
    expect(texts).not.toContain(false);
  },
);

test.each([1, 2, 3, 7])('binary data read %i bytes at a time is complete', async (length) => {
  const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  expect(Buffer.concat((await readThrough(content, length)).parts)).toEqual(content);
  const one = Buffer.from('😀');
  expect(Buffer.concat((await readThrough(one, length)).parts)).toEqual(one);
});

test('a note says which part it is and where to continue', async () => {
  const content = Buffer.from('0123456789');
  const noteOf = async (offset: number, length: number) =>
    partText('f', await textAt('f', content, { offset, length }));
  expect(await noteOf(0, 10)).toBe('["f": all 10 bytes]');
  expect(await noteOf(0, 4)).toBe('["f": 4 bytes from offset 0, of 10; to continue, use offset 4]');
  expect(await noteOf(4, 99)).toBe('["f": 6 bytes from offset 4, of 10; this is the end]');
  expect(await noteOf(10, 1)).toBe('["f": 0 bytes from offset 10, of 10; this is the end]');
  await expect(noteOf(11, 1)).rejects.toThrow('"f" has 10 bytes, so offset 11 is past its end');
});
