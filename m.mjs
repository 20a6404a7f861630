import { findFlaw } from '/tmp/a9-attack2/packages/server/src/wire/json-flaw.ts';
const shapes = { arrays: ['[],', 3], keyed: [(i) => `{"a${i}":0},`], sameKey: ['{"a":0},'], nums: ['1.5,'], strs: ['"ab",'], objs: ['{},'], cjk: null, oneobj: null };
const n = 250000;
for (const name of ['arrays', 'keyed', 'sameKey', 'nums', 'strs', 'objs', 'oneobj']) {
  let text;
  if (name === 'oneobj') text = '{' + Array.from({ length: n }, (_, i) => `"k${i}":0`).join(',') + '}';
  else { const [f] = shapes[name]; text = '[' + Array.from({ length: n }, (_, i) => typeof f === 'string' ? f : f(i)).join('').slice(0, -1) + ']'; }
  text = Buffer.from(text).toString('latin1'); gc();
  let t = performance.now(); findFlaw(text, 200); const tf = performance.now() - t; gc();
  const h = process.memoryUsage().heapUsed; t = performance.now(); let v = JSON.parse(text); const tp = performance.now() - t; gc();
  const used = process.memoryUsage().heapUsed - h; console.log(name, (text.length / 1e6).toFixed(2), 'MB; flaw', tf | 0, 'ms; parse', tp | 0, 'ms; heap', (used / 1e6).toFixed(1), 'MB', (used / n).toFixed(0), 'B/value'); v = v.length;
}
