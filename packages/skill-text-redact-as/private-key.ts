import { startsWith } from '@ambit/as-sdk';
import { BASE64, runEnd } from './alphabet';
import { Match, PEM_PRIVATE_KEY } from './secret';

/**
 * A private key in PEM (RFC 7468), including its BEGIN and END lines. A key without END before the
 * next BEGIN or the end of the text is truncated, and is masked as far as its lines look like a
 * key. The search for END stops at the next BEGIN, so a text of BEGINs is read once.
 */
export function findPrivateKey(at: usize, end: usize, match: Match): bool {
  if (!startsWith(at, end, '-----BEGIN ')) return false;
  const body = labelEnd(at + 11, end);
  if (body == 0) return false;
  for (let next = body; next < end; next++) {
    if (load<u8>(next) != 0x2d || !startsWith(next, end, '-----')) continue;
    if (startsWith(next, end, '-----BEGIN ')) break;
    if (!startsWith(next, end, '-----END ')) continue;
    const close = labelEnd(next + 9, end);
    if (close > 0) return match.set(PEM_PRIVATE_KEY, at, close);
  }
  return match.set(PEM_PRIVATE_KEY, at, cutOffEnd(body, end));
}

/** The end of `RSA PRIVATE KEY-----` and similar labels; 0 if the label is not a private key's. */
function labelEnd(at: usize, end: usize): usize {
  const furthest = min(at + 40, end);
  for (; at < furthest; at++) {
    if (startsWith(at, end, 'PRIVATE KEY-----')) return at + 16;
    if (startsWith(at, end, 'PRIVATE KEY BLOCK-----')) return at + 22;
    const byte = load<u8>(at);
    if (byte != 0x20 && byte - 0x41 > 25 && byte - 0x30 > 9) return 0;
  }
  return 0;
}

function cutOffEnd(at: usize, end: usize): usize {
  let close = at;
  while (true) {
    at = skipBreaks(at, end);
    if (startsWith(at, end, 'Proc-Type:') || startsWith(at, end, 'DEK-Info:')) {
      while (at < end && load<u8>(at) != 0x0a && load<u8>(at) != 0x5c) at++;
      close = at;
      continue;
    }
    const line = at;
    at = runEnd(at, end, BASE64);
    // A shorter line is the key's last if the text ends with it; otherwise it is a word after the
    // key.
    if (at - line < 16 && (at == line || at < end)) return close;
    close = at;
  }
}

/** White space, and line breaks that a log or a JSON string writes as `\n`. */
function skipBreaks(at: usize, end: usize): usize {
  while (at < end) {
    const byte = load<u8>(at);
    if (byte == 0x5c && at + 1 < end && (load<u8>(at + 1) == 0x6e || load<u8>(at + 1) == 0x72)) at += 2;
    else if (byte <= 0x20 || byte == 0x5c) at++;
    else break;
  }
  return at;
}
