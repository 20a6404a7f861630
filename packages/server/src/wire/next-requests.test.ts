import { expect, test } from 'vitest';
import { withNextRequest, withoutNextRequest } from './next-requests.ts';

test.each(['skill "a" does not exist', 'skill "a" does not exist; did you mean ab?'])(
  'adds the request that lists skills, and removes it again: %s',
  (message) => {
    const detail = withNextRequest('SKILL_NOT_FOUND', message);
    expect(detail).toMatch(
      /^skill "a" does not exist.*[;?] GET \/skills lists the skills that this key can see$/,
    );
    expect(withoutNextRequest('SKILL_NOT_FOUND', detail)).toBe(message);
  },
);

test('leaves the messages of other codes unchanged', () => {
  expect(withNextRequest('OVERLOADED', 'queue full')).toBe('queue full');
  expect(withoutNextRequest('OVERLOADED', 'queue full')).toBe('queue full');
});
