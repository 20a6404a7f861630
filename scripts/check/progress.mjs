import { statSync } from 'node:fs';
import { DefaultReporter } from 'vitest/node';
import { timeLeft } from './time-left.mjs';

/** @typedef {import('vitest/node').TestModule} TestModule */
/** @typedef {import('vitest/node').TestSpecification} TestSpecification */

/**
 * Milliseconds for each byte of a file that has not run here yet, by project: what the suites took on two cores. A run
 * corrects it as it goes.
 * @type {Readonly<Record<string, number>>}
 */
const msOfByte = { unit: 0.3, contract: 1.5, conformance: 1, security: 1.5, e2e: 3 };

/** Prints a line for each file of tests, with what is left. At the end, Vitest prints every failure. */
// biome-ignore lint/style/noDefaultExport: Vitest loads the default export of a reporter's file
export default class ProgressReporter extends DefaultReporter {
  #finished = 0;
  #files = 0;
  #timeLeft = timeLeft(new Map(), 1);

  /**
   * @override
   * @param {readonly TestSpecification[]} specifications
   */
  onTestRunStart(specifications) {
    super.onTestRunStart(specifications);
    const expected = specifications.map(
      (each) => /** @type {const} */ ([each.moduleId, this.#expectedMs(each)]),
    );
    this.#files = expected.length;
    this.#finished = 0;
    this.#timeLeft = timeLeft(new Map(expected), Number(this.ctx.config.maxWorkers));
  }

  /**
   * @override
   * @protected
   * @param {TestModule} testModule
   */
  printTestModule(testModule) {
    const ms = wallMs(testModule);
    this.#finished += 1;
    this.#timeLeft.finished(testModule.moduleId, ms);
    const count = `[${String(this.#finished).padStart(String(this.#files).length)}/${this.#files}]`;
    const tests = [...testModule.children.allTests()];
    const skipped = tests.filter((test) => test.result().state === 'skipped').length;
    const counted = `${tests.length} test${tests.length === 1 ? '' : 's'}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    this.log(
      `${count} ${this.getEntityPrefix(testModule)} ${testModule.relativeModuleId} (${counted}) ${seconds(ms)}${this.#rest()}`,
    );
    for (const test of testModule.children.allTests('failed')) this.log(`   × ${test.fullName}`);
  }

  #rest() {
    const minutes = this.#timeLeft.left() / 60_000;
    if (this.#finished === this.#files) return '';
    return minutes < 1 ? ' · less than a minute left' : ` · ${Math.round(minutes)} min left`;
  }

  /** @param {TestSpecification} specification */
  #expectedMs(specification) {
    const earlier = this.ctx.cache.getTestSpecificationResult(specification)?.duration;
    const rate = msOfByte[specification.project.name] ?? 1;
    return earlier ?? statSync(specification.moduleId).size * rate;
  }
}

/** @param {TestModule} testModule */
function wallMs(testModule) {
  const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } =
    testModule.diagnostic();
  return collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration;
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
