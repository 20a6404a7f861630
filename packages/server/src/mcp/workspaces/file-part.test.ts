import { expect, test } from 'vitest';
import { partText, textAt } from './file-part.ts';

const readThrough = (content: Buffer, length: number): { parts: Buffer[]; texts: boolean[] } => {
  const parts: Buffer[] = [];
  for (let offset = 0; offset < content.length; ) {
    const { bytes } = textAt('f', content, { offset, length });
    parts.push(Buffer.from(bytes));
    offset += bytes.length;
  }
  return { parts, texts: parts.map((part) => Buffer.from(part.toString()).equals(part)) };
};

test.each([4, 5, 6, 7, 8, 100])('text read %i bytes at a time is complete, in whole characters', (length) => {
  const content = Buffer.from('aä€😀'.repeat(20));
  const { parts, texts } = readThrough(content, length);
  expect(Buffer.concat(parts)).toEqual(content);
  expect(texts).not.toContain(false);
});

test.each([1, 2, 3, 7])('binary data read %i bytes at a time is complete', (length) => {
  const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  expect(Buffer.concat(readThrough(content, length).parts)).toEqual(content);
  const one = Buffer.from('😀');
  expect(Buffer.concat(readThrough(one, length).parts)).toEqual(one);
});

test('a note says which part it is and where to continue', () => {
  const content = Buffer.from('0123456789');
  const said = (offset: number, length: number) => partText('f', textAt('f', content, { offset, length }));
  expect(said(0, 10)).toBe('["f": all 10 bytes]');
  expect(said(0, 4)).toBe('["f": 4 bytes from offset 0, of 10; to continue, use offset 4]');
  expect(said(4, 99)).toBe('["f": 6 bytes from offset 4, of 10; this is the end]');
  expect(said(10, 1)).toBe('["f": 0 bytes from offset 10, of 10; this is the end]');
  expect(() => said(11, 1)).toThrow('"f" has 10 bytes, so offset 11 is past its end');
});
