import fc from 'fast-check';

/** Arithmetic on a program's three numbers. */
type Value =
  | { is: 'constant'; value: number }
  | { is: 'variable'; index: number }
  | { is: 'operation'; name: Operation; left: Value; right: Value };

/**
 * WebAssembly control flow; `depth` counts the enclosing arms, blocks and loops, from the
 * innermost, and begins there again after the outermost.
 */
type Step =
  | { is: 'set'; index: number; value: Value }
  | { is: 'if'; condition: Value; met: Step[]; unmet: Step[] }
  | { is: 'block' | 'loop'; steps: Step[] }
  | { is: 'branch'; by: Branch; condition: Value; depth: number }
  | { is: 'call'; index: number }
  | { is: 'fill' }
  | { is: 'return' };

export type Program = Step[];

type Branch = 'br_if' | 'br' | 'br_table';

type Operation = 'add' | 'sub' | 'mul' | 'xor';
const operations: Readonly<Record<Operation, (left: number, right: number) => number>> = {
  add: (left, right) => (left + right) | 0,
  sub: (left, right) => (left - right) | 0,
  mul: Math.imul,
  xor: (left, right) => left ^ right,
};

const variables = 3;
/** The maximum number of branches: a program may loop endlessly. */
const branchesMax = 50;

/** Any program. */
export const programs: fc.Arbitrary<Program> = fc.letrec<{ value: Value; step: Step; steps: Step[] }>(
  (tie) => {
    const index = fc.nat(variables - 1);
    return {
      value: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'value' },
        fc.record({ is: fc.constant('constant' as const), value: fc.integer({ min: -9, max: 9 }) }),
        fc.record({ is: fc.constant('variable' as const), index }),
        fc.record({
          is: fc.constant('operation' as const),
          name: fc.constantFrom<Operation>('add', 'sub', 'mul', 'xor'),
          left: tie('value'),
          right: tie('value'),
        }),
      ),
      step: fc.oneof(
        { maxDepth: 5, depthIdentifier: 'step' },
        fc.record({ is: fc.constant('set' as const), index, value: tie('value') }),
        fc.record({
          is: fc.constant('branch' as const),
          by: fc.constantFrom<Branch>('br_if', 'br', 'br_table'),
          condition: tie('value'),
          depth: fc.nat(4),
        }),
        fc.record({ is: fc.constant('call' as const), index }),
        fc.record({ is: fc.constant('fill' as const) }),
        fc.record({ is: fc.constant('return' as const) }),
        fc.record({
          is: fc.constant('if' as const),
          condition: tie('value'),
          met: tie('steps'),
          unmet: tie('steps'),
        }),
        fc.record({ is: fc.constantFrom('block' as const, 'loop' as const), steps: tie('steps') }),
      ),
      steps: fc.array(tie('step'), { maxLength: 5, depthIdentifier: 'step' }),
    };
  },
).steps;

/**
 * The program in the text format. `run` takes the three numbers and returns the final value of the
 * first.
 */
export function textOf(program: Program): string {
  return `(module
    (memory 1)
    (global $branches (mut i32) (i32.const ${branchesMax}))
    (func $more (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
    (func (export "run") (param i32 i32 i32) (result i32)
      ${program.map((step) => textOfStep(step, 0)).join('\n')}
      (local.get 0)))`;
}

function textOfStep(step: Step, frames: number): string {
  const inner = (steps: Step[]): string => steps.map((one) => textOfStep(one, frames + 1)).join('\n');
  switch (step.is) {
    case 'set':
      return `(local.set ${step.index} ${textOfValue(step.value)})`;
    case 'if':
      return `(if ${textOfValue(step.condition)} (then ${inner(step.met)}) (else ${inner(step.unmet)}))`;
    case 'block':
    case 'loop':
      return `(${step.is} ${inner(step.steps)})`;
    case 'branch':
      if (frames === 0) return '(nop)';
      return `(global.set $branches (i32.sub (global.get $branches) (i32.const 1)))
        ${textOfBranch(
          { by: step.by, depth: step.depth % frames },
          `(i32.and (i32.ne ${textOfValue(step.condition)} (i32.const 0))
                    (i32.gt_s (global.get $branches) (i32.const 0)))`,
        )}`;
    case 'call':
      return `(local.set ${step.index} (call $more (local.get ${step.index})))`;
    case 'fill':
      return '(memory.fill (i32.const 0) (i32.const 1) (i32.const 64))';
    case 'return':
      return '(return (local.get 0))';
    default:
      return step satisfies never;
  }
}

function textOfBranch({ by, depth }: { by: Branch; depth: number }, taken: string): string {
  switch (by) {
    case 'br_if':
      return `(br_if ${depth} ${taken})`;
    case 'br':
      return `(if ${taken} (then (br ${depth + 1})))`;
    case 'br_table':
      return `(block (br_table 0 ${depth + 1} ${taken}))`;
    default:
      return by satisfies never;
  }
}

function textOfValue(value: Value): string {
  switch (value.is) {
    case 'constant':
      return `(i32.const ${value.value})`;
    case 'variable':
      return `(local.get ${value.index})`;
    case 'operation':
      return `(i32.${value.name} ${textOfValue(value.left)} ${textOfValue(value.right)})`;
    default:
      return value satisfies never;
  }
}

/** Runs the program and returns its result and the number of executed instructions. */
export function interpret(
  program: Program,
  given: readonly number[],
): { result: number; instructions: bigint } {
  const numbers = [...given];
  let instructions = 0;
  let branches = branchesMax;
  const number = (index: number): number => numbers[index] ?? 0;

  const evaluate = (value: Value): number => {
    instructions++;
    switch (value.is) {
      case 'constant':
        return value.value;
      case 'variable':
        return number(value.index);
      case 'operation':
        return operations[value.name](evaluate(value.left), evaluate(value.right));
      default:
        return value satisfies never;
    }
  };

  /** The number of frames that a branch still leaves; absent if the steps ran to their end. */
  const perform = (steps: Step[], frames: number): number | undefined => {
    for (const step of steps) {
      const leaving = performStep(step, frames);
      if (leaving !== undefined) return leaving;
    }
    return undefined;
  };

  const performStep = (step: Step, frames: number): number | undefined => {
    switch (step.is) {
      case 'set':
        numbers[step.index] = evaluate(step.value);
        instructions++;
        return undefined;
      case 'if': {
        const taken = evaluate(step.condition) !== 0;
        instructions++;
        return outwards(perform(taken ? step.met : step.unmet, frames + 1));
      }
      case 'block':
        return outwards(perform(step.steps, frames + 1));
      case 'loop': {
        let leaving = perform(step.steps, frames + 1);
        while (leaving === 0) leaving = perform(step.steps, frames + 1);
        return outwards(leaving);
      }
      case 'branch': {
        instructions++;
        if (frames === 0) return undefined;
        branches--;
        const taken = evaluate(step.condition) !== 0 && branches > 0;
        // Four for the count, plus the combination of the two conditions, minus the one of `nop`.
        instructions += 3 + 7;
        if (taken && step.by === 'br') instructions++;
        return taken ? step.depth % frames : undefined;
      }
      case 'call':
        numbers[step.index] = (number(step.index) + 1) | 0;
        // Three at each end.
        instructions += 6;
        return undefined;
      case 'fill':
        // Four, and one for 64 bytes.
        instructions += 5;
        return undefined;
      case 'return':
        instructions += 2;
        return Number.POSITIVE_INFINITY;
      default:
        return step satisfies never;
    }
  };

  if (perform(program, 0) === undefined) instructions++;
  return { result: number(0), instructions: BigInt(instructions) };
}

/** A branch to this frame ends here; any other continues outward. */
function outwards(leaving: number | undefined): number | undefined {
  return leaving === undefined || leaving === 0 ? undefined : leaving - 1;
}
