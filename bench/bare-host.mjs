// The minimal host process: Extism, a module compiled once, a new instance for each input line. No
// sandbox, no fuel, no limits, no host functions.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createPlugin } from '@extism/extism';

const module = new WebAssembly.Module(readFileSync(process.argv[2] ?? ''));
const options = { useWasi: false, runInWorker: false };
for await (const line of createInterface({ input: process.stdin })) {
  const plugin = await createPlugin({ wasm: [{ module }] }, options);
  const output = await plugin.call('run', line);
  process.stdout.write(`${output?.text()}\n`);
}
