export { readInput, writeOutput, fail } from './host';
export { reportProgress } from './progress';
export { JsonReader } from './json-reader';
export { JsonWriter } from './json-writer';
export { startsWith, Text } from './text';
