export { readInput, writeOutput, fail } from './host';
export { JsonReader } from './json-reader';
export { JsonWriter } from './json-writer';
export { startsWith, Text } from './text';
