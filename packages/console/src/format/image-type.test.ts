// Threat model: T408

import { expect, test } from 'vitest';
import { imageTypeOf } from './image-type.ts';

const typeOf = (bytes: string) => imageTypeOf(btoa(bytes));

test.each([
  ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
  ['image/jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
  ['image/gif', 'GIF89a'],
  ['image/gif', 'GIF87a'],
  ['image/webp', 'RIFF\n\0\0\0WEBPVP8 '],
])('%s is known by its first bytes', (type, bytes) => {
  expect(typeOf(bytes)).toBe(type);
});

test.each([
  '',
  '<svg xmlns="http://www.w3.org/2000/svg">',
  '<html>',
  '%PDF-1.7',
  '\x89PNG',
  ' GIF89a',
  'RIFF\n\0\0\0WAVE',
])('bytes that begin with %j are no image', (bytes) => {
  expect(typeOf(bytes)).toBeUndefined();
});
