import { vi } from 'vitest';
import { patienceMs } from './patience.ts';

// Vitest configures the timeout of `expect.poll`, but not of these, which give up after a second.
const { waitFor, waitUntil } = vi;
const timeout = patienceMs;

// Files can share a process, in which the first of them has done this.
if (waitFor.name === 'waitFor') {
  vi.waitFor = function patientWaitFor(callback, options) {
    return waitFor(callback, typeof options === 'number' ? options : { timeout, ...options });
  };
  vi.waitUntil = function patientWaitUntil(callback, options) {
    return waitUntil(callback, typeof options === 'number' ? options : { timeout, ...options });
  };
}
