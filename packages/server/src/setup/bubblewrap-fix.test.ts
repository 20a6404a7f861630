import { expect, test } from 'vitest';
import { bubblewrapFix } from './bubblewrap-fix.ts';

test.each([
  ['spawn bwrap ENOENT', /^Install bubblewrap/],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", /^Parts of \/proc are masked/],
  [
    'root could not map the users of a sandbox: EPERM: operation not permitted, write',
    /^Run Ambit as an ordinary user/,
  ],
  [
    'bwrap: Joining specified user namespace failed: Operation not permitted',
    /^Run Ambit as an ordinary user/,
  ],
  ['bwrap: setting up uid map: Permission denied', /^A security module/],
  ['bwrap: No permissions to create new namespace, likely because …', /^The system does not let this user/],
  ["bwrap: Can't set hostname to ambit: Operation not permitted", /^The system does not let this user/],
  ['bwrap: Creating new namespace failed: No space left on device', /^The system does not let this user/],
])('names the fix for "%s"', (detail, fix) => {
  expect(bubblewrapFix(detail)).toMatch(fix);
});
