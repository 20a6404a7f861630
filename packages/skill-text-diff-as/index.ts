import { fail, JsonReader, JsonWriter, readInput, Text, writeOutput } from '@ambit/as-sdk';
import { compareLines } from './changes';
import { countLines, Lines } from './lines';
import { Side, writeUnified } from './unified';

const INPUT_BYTES_MAX = 4 << 20;
const OUTPUT_BYTES_MAX = 6 << 20;
const LINES_MAX = 100_000;
const CONTEXT_MAX = 100_000;
const NAME_BYTES_MAX = 1024;

export function run(): i32 {
  const input = readInput(INPUT_BYTES_MAX);
  if (input == null) return fail('The two texts are longer than 4 MiB together.');

  let before: Text | null = null;
  let after: Text | null = null;
  let beforeName = Text.of('before');
  let afterName = Text.of('after');
  let context = 3;
  const reader = new JsonReader(input);
  for (reader.enterObject(); reader.nextKey(); ) {
    if (reader.key.is('before')) before = reader.readText();
    else if (reader.key.is('after')) after = reader.readText();
    else if (reader.key.is('beforeName')) beforeName = reader.readText();
    else if (reader.key.is('afterName')) afterName = reader.readText();
    else if (reader.key.is('context')) context = reader.readInteger(0, CONTEXT_MAX);
    else reader.skipValue();
  }
  reader.end();
  if (reader.error.length > 0) return fail(reader.error);
  if (before == null) return fail('The input has no "before".');
  if (after == null) return fail('The input has no "after".');
  if (!isName(beforeName)) return fail(`"beforeName" is empty or longer than ${NAME_BYTES_MAX} bytes.`);
  if (!isName(afterName)) return fail(`"afterName" is empty or longer than ${NAME_BYTES_MAX} bytes.`);

  const beforeLines = countLines(before, LINES_MAX);
  const afterLines = countLines(after, LINES_MAX);
  if (beforeLines + afterLines > LINES_MAX)
    return fail(`The two texts have more than ${LINES_MAX} lines together.`);

  const left = new Side(beforeName, new Lines(before, beforeLines));
  const right = new Side(afterName, new Lines(after, afterLines));
  const changes = compareLines(left.lines, right.lines);
  const writer = new JsonWriter(OUTPUT_BYTES_MAX);
  writer.openObject();
  writer.key('diff');
  writer.openText();
  const tally = writeUnified(left, right, changes, context, writer);
  writer.closeText();
  writer.key('added');
  writer.integer(tally.added);
  writer.key('removed');
  writer.integer(tally.removed);
  writer.key('hunks');
  writer.integer(tally.hunks);
  writer.key('identical');
  writer.boolean(tally.hunks == 0);
  writer.closeObject();
  if (writer.overflowed) return fail('The diff is longer than 6 MiB.');
  return writeOutput(writer.written());
}

function isName(name: Text): bool {
  return name.length > 0 && name.length <= NAME_BYTES_MAX;
}
