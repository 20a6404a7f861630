import { fail, JsonReader, JsonWriter, readInput, Text, writeOutput } from '@ambit/as-sdk';
import { masksFrom, redact } from './redact';
import { EVERY_KIND, kindCalled, kindName, SECRETS } from './secret';

const INPUT_BYTES_MAX = 4 << 20;
const OUTPUT_BYTES_MAX = 8 << 20;
const MASK_BYTES_MAX = 256;

export function run(): i32 {
  const input = readInput(INPUT_BYTES_MAX);
  if (input == null) return fail('The input is longer than 4 MiB. Redact the text in parts.');

  let text: Text | null = null;
  let mask = Text.of('[redacted-{kind}]');
  let kinds = EVERY_KIND;
  const reader = new JsonReader(input);
  for (reader.enterObject(); reader.nextKey(); ) {
    if (reader.key.is('text')) text = reader.readText();
    else if (reader.key.is('mask')) mask = reader.readText();
    else if (reader.key.is('kinds')) kinds = readKinds(reader);
    else reader.skipValue();
  }
  reader.end();
  if (reader.error.length > 0) return fail(reader.error);
  if (text == null) return fail('The input has no "text".');
  if (kinds == 0)
    return fail('"kinds" must list one or more of email, token, private-key, password and card.');
  if (mask.length > MASK_BYTES_MAX) return fail(`"mask" is longer than ${MASK_BYTES_MAX} bytes.`);

  const masks = masksFrom(mask);
  const writer = new JsonWriter(OUTPUT_BYTES_MAX);
  writer.openObject();
  writer.key('text');
  const counts = redact(text, kinds, masks, writer);
  writeFound(counts, writer);
  writer.closeObject();
  if (writer.overflowed)
    return fail('The redacted text is longer than 8 MiB. Use a shorter mask, or redact the text in parts.');
  return writeOutput(writer.written());
}

/** The requested kinds; 0 if one is unknown, or there are none. */
function readKinds(reader: JsonReader): u32 {
  let kinds: u32 = 0;
  let known = true;
  for (reader.enterArray(); reader.nextItem(); ) {
    const name = reader.readText();
    const kind = name.length <= 16 ? kindCalled(name.toString()) : 0;
    known = known && kind != 0;
    kinds |= kind;
  }
  return known ? kinds : 0;
}

function writeFound(counts: StaticArray<i32>, writer: JsonWriter): void {
  let total = 0;
  writer.key('found');
  writer.openArray();
  for (let id = 0; id < counts.length; id++) {
    if (counts[id] == 0) continue;
    total += counts[id];
    writer.openObject();
    writer.key('kind');
    writer.string(kindName(SECRETS[id].kind));
    writer.key('type');
    writer.string(SECRETS[id].type);
    writer.key('count');
    writer.integer(counts[id]);
    writer.closeObject();
  }
  writer.closeArray();
  writer.key('total');
  writer.integer(total);
}
