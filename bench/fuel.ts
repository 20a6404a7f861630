import { meterModule } from '../packages/runtime/src/index.ts';
import { moduleOf } from '../packages/runtime/src/wasm/testing/module-of.ts';
import { compare, formatTable } from './compare.ts';

const target = 1.35;

/** Modules that only compute. `run` returns a checksum. */
const programs = [
  {
    title: 'A sieve of Eratosthenes',
    result: 9592,
    text: `(module (memory 2) (func (export "run") (result i32) (local $i i32) (local $j i32) (local $count i32)
      (memory.fill (i32.const 0) (i32.const 0) (i32.const 100000))
      (local.set $i (i32.const 2))
      (loop $numbers
        (if (i32.eqz (i32.load8_u (local.get $i))) (then
          (local.set $count (i32.add (local.get $count) (i32.const 1)))
          (local.set $j (i32.add (local.get $i) (local.get $i)))
          (block $done (loop $multiples
            (br_if $done (i32.ge_u (local.get $j) (i32.const 100000)))
            (i32.store8 (local.get $j) (i32.const 1))
            (local.set $j (i32.add (local.get $j) (local.get $i)))
            (br $multiples)))))
        (br_if $numbers (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 100000))))
      (local.get $count)))`,
  },
  {
    title: 'Fibonacci numbers, by recursion',
    result: 196_418,
    text: `(module (func $fib (param $n i32) (result i32)
      (if (result i32) (i32.lt_u (local.get $n) (i32.const 2)) (then (local.get $n)) (else
        (i32.add (call $fib (i32.sub (local.get $n) (i32.const 1))) (call $fib (i32.sub (local.get $n) (i32.const 2)))))))
      (func (export "run") (result i32) (call $fib (i32.const 27))))`,
  },
  {
    title: 'A product of matrices',
    result: 1,
    text: `(module (memory 4) (func (export "run") (result i32) (local $i i32) (local $j i32) (local $k i32) (local $sum f64)
      (local.set $i (i32.const 0))
      (loop $rows
        (local.set $j (i32.const 0))
        (loop $columns
          (local.set $k (i32.const 0))
          (local.set $sum (f64.const 0))
          (loop $inner
            (local.set $sum (f64.add (local.get $sum) (f64.mul
              (f64.load (i32.shl (i32.add (i32.mul (local.get $i) (i32.const 80)) (local.get $k)) (i32.const 3)))
              (f64.load offset=52000 (i32.shl (i32.add (i32.mul (local.get $k) (i32.const 80)) (local.get $j)) (i32.const 3))))))
            (br_if $inner (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const 80))))
          (f64.store offset=104000 (i32.shl (i32.add (i32.mul (local.get $i) (i32.const 80)) (local.get $j)) (i32.const 3)) (local.get $sum))
          (br_if $columns (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 1))) (i32.const 80))))
        (br_if $rows (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 80))))
      (i32.const 1)))`,
  },
] as const;

/** The cost of counting fuel in optimized code: the same module with and without it. */
export async function fuelBench(_folder: string, rounds: number): Promise<void> {
  for (const { title, result, text } of programs) {
    const bytes = moduleOf(text);
    const metered = meterModule(bytes, { untrusted: true });
    if (metered.status === 'refused') throw new Error(metered.problem);
    const contenders = [
      { name: 'unchanged', run: runnerOf(bytes, result) },
      { name: 'metered', run: runnerOf(metered.bytes, result) },
    ];
    // The engine must have optimized both before the measurement.
    for (let count = 0; count < 50; count++) for (const { run } of contenders) await run();
    const timings = await compare(contenders, rounds);
    const ratio = timings[1]?.ratio ?? Number.NaN;
    console.log(
      `${formatTable(title, timings)}\n\n  ${ratio <= target ? 'reached' : 'missed '}  at most ${target} × the time without fuel: ${ratio.toFixed(2)} ×\n`,
    );
  }
}

function runnerOf(bytes: Uint8Array, result: number): () => Promise<void> {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes)));
  const [run, begin] = [exports['run'], exports['ambit:begin']] as [
    () => number,
    undefined | ((...budget: unknown[]) => void),
  ];
  return async () => {
    begin?.(2n ** 62n, 100, 0);
    const returned = run();
    if (returned !== result) throw new Error(`the program returned ${returned}`);
  };
}
