import { startsWith, Text } from '@ambit/as-sdk';
import { ALNUM, isIn } from './alphabet';
import { Match } from './secret';

/**
 * Records the password in `scheme://user:password@host` (RFC 3986, section 3.2.1), where `at` is
 * the colon after the scheme.
 */
export function noteUrlPassword(at: usize, floor: usize, end: usize, masks: Text[], match: Match): void {
  if (at == floor || !isIn(at - 1, ALNUM) || !startsWith(at, end, '://')) return;
  let start: usize = 0;
  let close: usize = 0;
  for (let next = at + 3; next < end && !endsAuthority(load<u8>(next)); next++) {
    if (load<u8>(next) == 0x3a && start == 0) start = next + 1;
    if (load<u8>(next) == 0x40) close = next;
  }
  if (start == 0 || close <= start || isPlaceholder(start, close, masks)) return;
  match.passwordStart = start;
  match.passwordEnd = close;
}

function endsAuthority(byte: u8): bool {
  if (byte <= 0x20 || byte == 0x2f || byte == 0x3f || byte == 0x23 || byte == 0x5c) return true;
  return byte == 0x22 || byte == 0x27 || byte == 0x60 || byte == 0x3c || byte == 0x3e;
}

/** `${PASSWORD}`, `{{ password }}`, `****` and masked text are not secrets. */
function isPlaceholder(start: usize, close: usize, masks: Text[]): bool {
  const length = <i32>(close - start);
  for (let i = 0; i < masks.length; i++) {
    if (length == masks[i].length && memory.compare(start, masks[i].start, length) == 0) return true;
  }
  if (load<u8>(close - 1) == 0x7d && (startsWith(start, close, '${') || startsWith(start, close, '{{')))
    return true;
  while (start < close && load<u8>(start) == 0x2a) start++;
  return start == close;
}
