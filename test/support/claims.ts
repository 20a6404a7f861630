/** Claims of a script that is not part of `npm test`, each printed with its result. */
export interface Claims {
  /** Prints whether a claim holds: it does unless `check` rejects. */
  claim(text: string, check: () => Promise<void>): Promise<void>;
  /** Prints that a claim cannot be checked on this machine. */
  skip(text: string, why: string): void;
  /** Prints how many claims hold, and returns the exit code. */
  end(): number;
}

export function openClaims(): Claims {
  const count = { passed: 0, failed: 0, skipped: 0 };
  return {
    async claim(text, check) {
      const begun = performance.now();
      const seconds = (): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`.padStart(7);
      try {
        await check();
        count.passed += 1;
        console.log(`passed  ${seconds()}  ${text}`);
      } catch (error) {
        count.failed += 1;
        console.log(`FAILED  ${seconds()}  ${text}\n${(error as Error).message.replaceAll(/^/gm, '    ')}`);
      }
    },
    skip(text, why) {
      count.skipped += 1;
      console.log(`skipped           ${text}: ${why}`);
    },
    end() {
      const skipped = count.skipped === 0 ? '' : `, ${count.skipped} skipped`;
      console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
      return count.failed === 0 ? 0 : 1;
    },
  };
}
