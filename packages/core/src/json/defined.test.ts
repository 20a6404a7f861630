import { expect, test } from 'vitest';
import { defined } from './defined.ts';

interface Label {
  readonly text: string;
  readonly color?: string;
  readonly width?: number | null;
}

test('a member that is undefined is left out, and the others keep their order and their values', () => {
  const label: Label = defined({ color: undefined, width: null, text: '' });
  expect(Object.entries(label)).toEqual([
    ['width', null],
    ['text', ''],
  ]);
});

test('the compiler refuses an unknown member, and undefined for a member that is required', () => {
  // @ts-expect-error: a label has no height
  defined<Label>({ text: 'a', height: 1 });
  // @ts-expect-error: a label has a text
  expect(defined<Label>({ text: undefined })).toEqual({});
});
