// What fuel is charged for: version 1 of the cost model. Another number than before for any module, however small the
// difference, is another version; docs/fuel.md has the model in words.

/** Declared locals that an entry into a function clears for one of fuel. */
export const localsPerFuel = 8;

/** Bytes of memory that are filled, copied or initialised for one of fuel, as a power of two. */
export const bytesPerFuelLog2 = 6;

/** What a page of memory costs that is grown: as much as to fill it. */
export const fuelPerPage = (64 * 1024) >> bytesPerFuelLog2;
