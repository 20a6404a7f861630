import { JsonWriter, startsWith, Text } from '@ambit/as-sdk';
import { ALNUM, DIGIT, isIn, startsRun, WORD } from './alphabet';
import { findCard, isUuid } from './card';
import { findEmail } from './email';
import { findPrivateKey } from './private-key';
import { CARD, EMAIL, kindName, Match, PASSWORD, PRIVATE_KEY, SECRETS, TOKEN, URL_PASSWORD } from './secret';
import { findToken } from './token';
import { noteUrlPassword } from './url-password';

/**
 * Writes the text with every secret of the requested kinds replaced by its mask, and returns their
 * counts by the secret's id. One pass: the secret that begins first is masked, and the search
 * continues after it.
 */
export function redact(text: Text, kinds: u32, masks: Text[], writer: JsonWriter): StaticArray<i32> {
  const counts = new StaticArray<i32>(SECRETS.length);
  const match = new Match();
  const end = text.end;
  let floor = text.start;
  writer.openText();
  for (let at = text.start; at < end; at = match.end) {
    if (!find(at, floor, end, kinds, masks, match)) continue;
    const mask = maskOf(match.secret.kind, masks);
    writer.append(floor, match.start);
    writer.append(mask.start, mask.end);
    floor = match.end;
    counts[match.secret.id]++;
  }
  writer.append(floor, end);
  writer.closeText();
  return counts;
}

/**
 * A mask for every kind, with `{kind}` replaced by the kind's name, in the order of the kinds'
 * bits.
 */
export function masksFrom(template: Text): Text[] {
  const masks: Text[] = [];
  const pattern = template.toString();
  for (let kind: u32 = EMAIL; kind <= CARD; kind <<= 1) {
    masks.push(Text.of(pattern.replaceAll('{kind}', kindName(kind))));
  }
  return masks;
}

function maskOf(kind: u32, masks: Text[]): Text {
  return masks[ctz(kind)];
}

/**
 * Whether a secret is recognized by the byte at `at`; the secret may begin before it, but not
 * before `floor`.
 */
function find(at: usize, floor: usize, end: usize, kinds: u32, masks: Text[], match: Match): bool {
  if (at == match.passwordStart) return match.set(URL_PASSWORD, at, match.passwordEnd);
  match.end = at + 1;
  const byte = load<u8>(at);
  if (byte == 0x40 || (byte == 0x25 && startsWith(at, end, '%40'))) {
    return (kinds & EMAIL) != 0 && findEmail(at, floor, end, match);
  }
  if (byte == 0x3a) {
    if ((kinds & PASSWORD) != 0) noteUrlPassword(at, floor, end, masks, match);
    return false;
  }
  if (byte == 0x2d) return (kinds & PRIVATE_KEY) != 0 && findPrivateKey(at, end, match);
  if (!isIn(at, ALNUM) || !startsRun(at, floor, WORD)) return false;
  if (isUuid(at, end)) {
    match.end = at + 36;
    return false;
  }
  if (isIn(at, DIGIT)) return (kinds & CARD) != 0 && findCard(at, floor, end, match);
  return (kinds & TOKEN) != 0 && findToken(at, floor, end, match);
}
